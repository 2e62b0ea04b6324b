#if Server
import FirnInspection
import FirnLog
import HTTPTypes
import Hummingbird

/// The pages of one record, and of the comparison of two points.
struct RecordPages: Sendable {
    private static let cardMax = 100

    let store: ServedStore
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
        let row = RecordRow(try store.summary(of: record)) { _, _ in nil }
        var content: [String: Any] = [
            "number": row.number, "iso": row.iso, "date": row.date, "who": row.who,
            "whoHref": "\(pages.base)/?author=\(QueryParameters.encoded(row.who))", "facts": Self.facts(record, row),
        ]
        if record.sequence > store.log.first { content["previous"] = pages.record(sequence - 1) }
        if try record.sequence < store.refresh() { content["next"] = pages.record(sequence + 1) }
        if case .changes(let changes) = record.body {
            let names = try store.names(at: changes.model)
            if allowsRevert { content["revert"] = pages.record(sequence) + "/revert" }
            let shown = RecordRoutes.changes(in: changes, names).dropFirst(offset).prefix(Self.cardMax)
            content["changes"] = cards(of: shown, in: changes, names, asOf: sequence)
            let links = changes.links.flatMap { LinkChange.all(of: $0, names) }.dropFirst(offset).prefix(Self.cardMax)
                .map { LinkRow($0, pages, asOf: sequence) }
            content["links"] = links
            content["hasLinks"] = !links.isEmpty
            if offset + Self.cardMax < changes.objectCount {
                content["more"] = "\(pages.record(sequence))?offset=\(offset + Self.cardMax)"
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
        return shown.map {
            let change = LoggedChange(group: $0.group, row: $0.row, names: names, members: members)
            return ChangeCard(change, pages, asOf: asOf, last: saves?.last(of: change))
        }
    }

    private static func facts(_ record: LogRecord, _ row: RecordRow) -> [Fact] {
        let header = record.header
        var facts = [Fact(name: "Program", value: "\(header.processName), process \(header.processID)")]
        if let context = header.contextName { facts.append(Fact(name: "Context", value: context)) }
        for (name, value) in header.metadata.sorted(by: { $0.key < $1.key }) {
            facts.append(Fact(name: name, value: value))
        }
        if let text = row.text { facts.append(Fact(name: "Also", value: text)) }
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
                .flatMap { LinkChange.all(of: $0, names) }
            let (count, linkCount) = (groups.count, links.count)
            content["summary"] =
                "From record \(first) to record \(second): "
                + (count == 1 ? "1 object differs" : "\(count) objects differ")
                + (linkCount == 0 ? "" : linkCount == 1 ? ", 1 member" : ", \(linkCount) members") + "."
            if first != second { content["saves"] = "Between them: " + saves.sentence(groups, names) + "." }
            let shown = groups.dropFirst(offset).prefix(Self.cardMax).map {
                LoggedChange(group: $0, row: 0, names: names)
            }
            content["changes"] = cards(of: shown, in: difference.changes, names, asOf: nil, saves)
            content["links"] = links.dropFirst(offset).prefix(Self.cardMax).map { LinkRow($0, pages, asOf: nil) }
            content["hasLinks"] = linkCount > offset
            if max(count, linkCount) > offset + Self.cardMax {
                let query = parameters.query(replacing: "offset", with: "\(offset + Self.cardMax)")
                content["more"] = "\(pages.base)/compare?\(query)"
            }
        }
        return pages.page("compare", title: "Compare", view: "/compare", content)
    }
}
#endif
