#if Server
import FirnInspection
import FirnLog
import HTTPTypes
import Hummingbird

/// The pages of one record, and of the comparison of two points.
struct RecordPages: Sendable {
    private static let cardMax = 100
    /// The approximate bytes of the changes that are shown.
    private static let cardSizeMax = 60_000
    private static let factMax = 1000

    let store: ServedStore
    let tables: StateReader
    let records: RecordRoutes
    let pages: PageLibrary
    let allowsRevert: Bool

    private struct Fact {
        let name: String
        let value: String
    }

    func record(_ request: Request, number: String) async throws -> Response {
        let parameters = try QueryParameters(request, single: ["offset"], isForm: true)
        let offset = try parameters.integer("offset", in: 0...100_000_000, or: 0)
        let record = try await records.record(number)
        let sequence = record.sequence.rawValue
        // Of a large record this takes long.
        let (row, cards) = try await records.queries.run { _ in
            let row = RecordRow(try store.summary(of: record)) { _, _ in nil }
            guard case .changes(let changes) = record.body else { return (row, [ChangeCard]()) }
            let names = try store.names(at: changes.model)
            let shown = RecordRoutes.changes(in: changes, names).dropFirst(offset).prefix(Self.cardMax)
            return (row, self.cards(of: shown, in: changes, names, asOf: sequence))
        }
        var content: [String: Any] = [
            "number": row.number, "iso": row.iso, "date": row.date, "who": row.shownWho,
            "facts": Self.facts(record, row),
        ]
        if row.who.utf8.count <= TimelinePages.filterMax {
            content["whoHref"] = "\(pages.base)/?author=\(QueryParameters.encoded(row.who))"
        }
        if record.sequence > store.log.first { content["previous"] = pages.record(sequence - 1) }
        if try record.sequence < store.refresh() { content["next"] = pages.record(sequence + 1) }
        if case .changes(let changes) = record.body {
            let names = try store.names(at: changes.model)
            if allowsRevert { content["revert"] = pages.record(sequence) + "/revert" }
            let step = add(cards, changes.links, names, from: offset, asOf: sequence, to: &content)
            if offset + step < max(changes.objectCount, changes.links.linkCount) {
                content["more"] = "\(pages.record(sequence))?offset=\(offset + step)"
            }
        }
        return pages.page("record", title: "Record \(sequence)", view: "/", content)
    }

    private func cards(
        of shown: some Sequence<LoggedChange>, in changes: ChangeSet, _ names: ModelNames, asOf: UInt64?,
        _ saves: SavesBetween? = nil
    ) -> [ChangeCard] {
        let shown = Array(shown)
        let members = RecordMembers(changes, of: Set(shown.map(\.key)), names)
        let described = shown.map { LoggedChange(group: $0.group, row: $0.row, names: names, members: members) }
        let titles = tables.titles(of: described.flatMap { [$0.object] + $0.related })
        return described.map { ChangeCard($0, pages, asOf: asOf, last: saves?.last(of: $0), titles: titles) }
    }

    /// Adds as many of the cards as fit on a page, and links. Returns how many both are at most.
    private func add(
        _ cards: [ChangeCard], _ links: [LinkGroup], _ names: ModelNames, from offset: Int, asOf: UInt64?,
        to content: inout [String: Any]
    ) -> Int {
        var size = 0
        let fitting = cards.prefix { card in
            size += card.size
            return size <= Self.cardSizeMax
        }
        let shown = Array(cards.prefix(max(fitting.count, 1)))
        let step = shown.count < cards.count ? shown.count : Self.cardMax
        let rows = LinkChange.part(of: links, from: offset, limit: step, names).map { LinkRow($0, pages, asOf: asOf) }
        content["changes"] = shown
        content["links"] = rows
        content["hasLinks"] = !rows.isEmpty
        return step
    }

    private static func facts(_ record: LogRecord, _ row: RecordRow) -> [Fact] {
        let header = record.header
        var facts = [Fact(name: "Program", value: "\(header.processName), process \(header.processID)")]
        if let context = header.contextName { facts.append(Fact(name: "Context", value: context)) }
        for (name, value) in header.metadata.sorted(by: { $0.key < $1.key }) {
            facts.append(Fact(name: PageText.cut(name, factMax), value: PageText.cut(value, factMax)))
        }
        if let text = row.other { facts.append(Fact(name: "Also", value: text)) }
        return facts
    }

    /// The net change of each object between two points, who made it, and how many there are of each entity.
    func compare(_ request: Request) async throws -> Response {
        let parameters = try QueryParameters(request, single: ["from", "to", "entity", "offset"], isForm: true)
        let offset = try parameters.integer("offset", in: 0...100_000_000, or: 0)
        var content: [String: Any] = [
            "from": parameters["from"] ?? "", "to": parameters["to"] ?? "",
            "notes": try parameters.timeReadings(in: store.log),
            "entities": try pages.entities(chosen: parameters["entity"]),
        ]
        if let from = try parameters.point("from") {
            let first = try store.sequence(at: from)
            let second = try store.sequence(at: parameters.point("to"))
            let (difference, names, saves) = try await records.comparison(first, second)
            let wanted = try parameters["entity"].map { name in
                try store.described { try difference.model.subtree(of: name) }
            }
            let groups = difference.changes.groups.filter { wanted?.contains($0.entity) ?? true }
            let links = difference.changes.links.filter { wanted?.contains($0.entity) ?? true }
            let (count, linkCount) = (groups.count, links.linkCount)
            content["summary"] =
                "From record \(first) to record \(second): "
                + (count == 1 ? "1 object differs" : "\(count) objects differ")
                + (linkCount == 0 ? "" : ", " + Counted.text(linkCount, "member")) + "."
            if first != second {
                let sentence = PageText.cut(saves.sentence(groups, names), Self.factMax)
                content["saves"] = "Between them: \(sentence)."
            }
            let shown = groups.dropFirst(offset).prefix(Self.cardMax).map {
                LoggedChange(group: $0, row: 0, names: names)
            }
            let cards = try await records.queries.run { _ in
                self.cards(of: shown, in: difference.changes, names, asOf: nil, saves)
            }
            let step = add(cards, links, names, from: offset, asOf: nil, to: &content)
            if max(count, linkCount) > offset + step {
                let query = parameters.query(replacing: "offset", with: "\(offset + step)")
                content["more"] = "\(pages.base)/compare?\(query)"
            }
        }
        return pages.page("compare", title: "Compare", view: "/compare", content)
    }
}
#endif
