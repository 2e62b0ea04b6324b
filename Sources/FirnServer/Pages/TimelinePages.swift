#if Server
import FirnInspection
import FirnLog
import HTTPTypes
import Hummingbird

/// The timeline: what was saved, newest first.
struct TimelinePages: Sendable {
    private static let pageSize = 50
    private static let searchTime = Duration.milliseconds(250)

    let store: ServedStore
    let tables: StateReader
    let queries: QueryRunner
    let pages: PageLibrary

    /// Values to narrow the timeline to, or one that it is narrowed to already.
    private struct Facet {
        let label: String
        let values: [FacetValue]
    }

    private struct FacetValue {
        let name: String
        let count: String
        let href: String
        let isChosen: Bool
    }

    private static let filterNames = ["entity", "property", "author", "text", "from", "to"]
    static let names = Set(filterNames + ["before"])
    private static let facetMax = 8
    /// The bytes of a filter, which every link of the page repeats.
    static let filterMax = 500

    func timeline(_ request: Request) async throws -> Response {
        let parameters = try QueryParameters(request, single: Self.names, isForm: true)
        let filters = Self.filters(parameters)
        for name in Self.filterNames {
            guard let size = parameters[name]?.utf8.count, size > Self.filterMax else { continue }
            throw RequestFailure.badRequest("\(name) has \(size) bytes", remedy: "give at most \(Self.filterMax)")
        }
        let throughDay = parameters.throughDay("to")
        let (first, last) = try bounds(throughDay)
        let query = parameters.query(replacing: ["from": nil, "to": nil, "before": nil])
        let (search, rows, strip) = try await queries.run { [store, tables, pages] monitor in
            let search = try TimelineSearch(
                filters, in: store, tables, from: last, downTo: first, limit: Self.pageSize, timeout: Self.searchTime,
                counts: true, monitor)
            let hits = filters.isOpen ? [] : search.counts.dates
            let strip = query.utf8.count <= Self.filterMax
                ? try DensityStrip(store, pages, hits: hits, query: query) : nil
            return (search, try RecordRow.rows(search.records, of: store, tables), strip)
        }
        let isFiltered = Self.filterNames.contains { parameters[$0] != nil }
        let isLive = parameters["before"] == nil && parameters["to"] == nil
        var content: [String: Any] = [
            "records": rows,
            "entities": try pages.entities(chosen: parameters["entity"]),
            "isFiltered": isFiltered, "notes": try throughDay.timeReadings(in: store.log), "isLive": isLive,
            "liveQuery": parameters.query(replacing: "from", with: nil),
            "status": search.records.isEmpty ? "No record fits so far." : "",
            "facets": query.utf8.count <= Self.filterMax ? facets(search.counts, parameters) : [],
            "counted": Self.counted(search.counts),
            "ranges": try TimeRange.all(of: store, parameters, pages.base + "/"),
            "exportQuery": parameters.query(replacing: "before", with: nil),
        ]
        for name in ["author", "property", "text", "from", "to"] { content[name] = parameters[name] ?? "" }
        if let strip { content["strip"] = strip }
        if let next = search.next {
            content["older"] = "\(pages.base)/?" + parameters.query(replacing: "before", with: "\(next.next)")
        }
        return pages.page("timeline", title: "Timeline", view: "/", content)
    }

    /// Rows of the records after one, for a timeline that is shown.
    func newer(_ request: Request) async throws -> Response {
        let parameters = try QueryParameters(request, single: Self.names.union(["after"]), isForm: true)
        let after = try parameters.integer("after", in: 0...Int.max, or: 0)
        let filters = Self.filters(parameters)
        let (rows, head) = try await queries.run { [store, tables] monitor in
            let head = try store.refresh()
            let first = max(SequenceNumber(UInt64(after)).next, store.log.first)
            let search = try TimelineSearch(
                filters, in: store, tables, from: head, downTo: first, limit: Self.pageSize, timeout: Self.searchTime,
                counts: false, monitor)
            return (try RecordRow.rows(search.records, of: store, tables), head)
        }
        var response = pages.fragment("records", ["records": rows])
        response.headers[.firnPosition] = "\(head)"
        return response
    }

    static func filters(_ parameters: QueryParameters) -> TimelineSearch.Filters {
        TimelineSearch.Filters(
            entity: parameters["entity"], property: parameters["property"], author: parameters["author"],
            text: parameters["text"])
    }

    private func facets(_ counts: TimelineCounts, _ parameters: QueryParameters) -> [Facet] {
        let isWhole = counts.isWhole
        return [("author", "Authors", counts.authors), ("entity", "Entities", counts.entities),
            ("property", "Properties", counts.properties),
        ].compactMap { name, label, counts in
            let chosen = parameters[name]
            let most = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.facetMax)
            let values = most.filter { $0.key.utf8.count <= Self.filterMax }.map { value, count in
                let isChosen = value == chosen
                var others: [String: String?] = ["before": nil]
                // Another entity does not have the property.
                if name == "entity" { others.updateValue(nil, forKey: "property") }
                others.updateValue(isChosen ? nil : value, forKey: name)
                let query = parameters.query(replacing: others)
                let words = isWhole ? "\(count)" : "\(count)+"
                return FacetValue(name: value, count: words, href: "\(pages.base)/?\(query)", isChosen: isChosen)
            }
            return values.isEmpty ? nil : Facet(label: label, values: values)
        }
    }

    private static func counted(_ counts: TimelineCounts) -> String {
        counts.isWhole ? "Counts of records." : "At least that: the newest \(counts.seen) records were counted."
    }

    /// The records between the dates, or before the one that was shown last; there are none if the first is after the
    /// last.
    func bounds(_ parameters: QueryParameters) throws -> (first: SequenceNumber, last: SequenceNumber) {
        let head = try store.refresh()
        var last = head
        if let to = try parameters.point("to") { last = try position(to) }
        let before = try parameters.integer("before", in: 1...Int.max, or: Int.max)
        last = min(last, SequenceNumber(UInt64(before) - 1))
        var first = store.log.first
        switch try parameters.point("from") {
        case .moment(let moment)?:
            first = max(first, try store.log.sequence(atOrBefore: moment.date.microseconds - 1).next)
        case .sequence(let number)?: first = max(first, min(SequenceNumber(number), head.next))
        case .head?, nil: break
        }
        return (first, last)
    }

    private func position(_ point: Point) throws -> SequenceNumber {
        switch point {
        case .moment(let moment): try store.log.sequence(atOrBefore: moment.end.microseconds)
        case .sequence(let number): min(SequenceNumber(number), store.log.head)
        case .head: store.log.head
        }
    }
}
#endif
