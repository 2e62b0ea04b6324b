#if Server
import FirnInspection
import FirnLog
import HTTPTypes
import Hummingbird

/// The timeline: what was saved, newest first.
struct TimelinePages: Sendable {
    private static let pageSize = 50
    private static let searchTime = Duration.milliseconds(400)

    let store: ServedStore
    let tables: StateReader
    let queries: QueryRunner
    let pages: PageLibrary

    private struct Choice {
        let name: String
        let isChosen: Bool
    }

    private static let names: Set<String> = ["entity", "author", "text", "from", "to", "before"]

    func timeline(_ request: Request) async throws -> Response {
        let parameters = try QueryParameters(request, single: Self.names, isForm: true)
        let filters = Self.filters(parameters)
        let (first, last) = try bounds(parameters)
        let (search, strip) = try await queries.run { [store, pages] monitor in
            let search = try TimelineSearch(
                filters, in: store, from: last, downTo: first, limit: Self.pageSize, timeout: Self.searchTime,
                monitor)
            return (search, try DensityStrip(store, pages))
        }
        let isFiltered = ["entity", "author", "text", "from", "to"].contains { parameters[$0] != nil }
        let isLive = parameters["before"] == nil && parameters["to"] == nil
        var content: [String: Any] = [
            "records": try RecordRow.rows(search.records, of: store, tables),
            "entities": try entities(chosen: parameters["entity"]),
            "isFiltered": isFiltered, "notes": try parameters.timeReadings(in: store.log), "isLive": isLive,
            "liveQuery": parameters.query(replacing: "from", with: nil),
            "status": search.records.isEmpty ? "No record fits so far." : "",
        ]
        for name in ["author", "text", "from", "to"] { content[name] = parameters[name] ?? "" }
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
        let (search, head) = try await queries.run { [store] monitor in
            let head = try store.refresh()
            let first = max(SequenceNumber(UInt64(after)).next, store.log.first)
            return (
                try TimelineSearch(
                    filters, in: store, from: head, downTo: first, limit: Self.pageSize, timeout: Self.searchTime,
                    monitor),
                head
            )
        }
        var response = pages.fragment(
            "records", ["records": try RecordRow.rows(search.records, of: store, tables)])
        response.headers[.firnPosition] = "\(head)"
        return response
    }

    private static func filters(_ parameters: QueryParameters) -> TimelineSearch.Filters {
        TimelineSearch.Filters(
            entity: parameters["entity"], author: parameters["author"], text: parameters["text"])
    }

    /// The records between the dates, or before the one that was shown last; there are none if the first is after the
    /// last.
    private func bounds(_ parameters: QueryParameters) throws -> (first: SequenceNumber, last: SequenceNumber) {
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
        case .moment(let moment): try store.log.sequence(atOrBefore: moment.date.microseconds)
        case .sequence(let number): min(SequenceNumber(number), store.log.head)
        case .head: store.log.head
        }
    }

    private func entities(chosen: String?) throws -> [Choice] {
        try (store.log.currentModel?.model.entities ?? []).map(\.name).sorted()
            .map { Choice(name: $0, isChosen: $0 == chosen) }
    }
}
#endif
