import FirnInspection
import FirnLog

/// What a terminal shows of records and changes.
extension LoggedChange {
    /// One line for the object and one for each property, with old and new value, and for each relationship, with the
    /// members that came and went.
    func text(only wanted: String? = nil) -> String {
        let (sign, style): (String, Console.Style) =
            switch group.operation {
            case .insert: ("+", .green)
            case .update: ("~", .yellow)
            case .delete: ("-", .red)
            case .refresh: ("!", .dim)
            }
        var lines = group.slots.indices.compactMap { index -> (name: String, text: String)? in
            let property = names.property(group.slots[index], of: group.entity)
            if case .position? = property?.kind { return nil }
            let name = property?.name ?? "slot \(group.slots[index])"
            return values(index, property).map { (name, $0) }
        }
        lines += relationships.map { ($0.name, $0.isReordered ? "order changed" : $0.members.text) }
        let hasPosition = group.operation == .update && lines.isEmpty && !group.slots.isEmpty
        if hasPosition { lines.append((positionOwner, "position changed")) }
        return
            ([Console.styled(sign + " " + object, style)]
            + lines.filter { $0.name == wanted ?? $0.name }.map {
                "    " + Console.styled($0.name, .cyan) + "  " + Console.printable($0.text)
            }).joined(separator: "\n")
    }

    /// The to-one in whose inverse, an ordered relationship, the object has another position.
    private var positionOwner: String {
        for slot in group.slots {
            guard case .position(let toOne)? = names.property(slot, of: group.entity)?.kind else { continue }
            return names.property(toOne, of: group.entity)?.name ?? "order"
        }
        return "order"
    }

    private func values(_ index: Int, _ property: LogProperty?) -> String? {
        if isTouched(index) {
            return relationships.contains { $0.name == property?.name } ? nil : "members changed"
        }
        let old = value(group.old, index, property)?.short
        let new = value(group.new, index, property)?.short
        switch (old, new) {
        case (let old?, let new?): return old + " → " + new
        case (nil, "nil"?), ("nil"?, nil), (nil, nil): return nil
        default: return old ?? new
        }
    }
}

extension LinkChange {
    var text: String {
        Console.styled(isAdded ? "+" : "-", isAdded ? .green : .red) + " \(source).\(relationship) \(destination)"
    }
}

extension RecordSummary {
    /// `+1 Commit  ~2 File  -1 File`; what else a record carries, in words.
    var text: String {
        switch record.body {
        case .model(let model):
            return "model of \(model.entities.count) entit" + (model.entities.count == 1 ? "y" : "ies")
        case .reservation(let keys): return "keys reserved in \(keys.count) entities"
        case .erasure(let erasure):
            return erasure.replaced.isEmpty
                ? "an erasure is done" : "values are erased from \(Console.count(erasure.replaced.count, "record"))"
        case .baseline: return "a part of the state after this record"
        case .changes(let changes):
            let parts =
                part("+", inserted, .green) + part("~", updated, .yellow) + part("-", deleted, .red)
                + part("!", refreshed, .dim)
            let links = changes.links.reduce(0) { $0 + $1.added.count + $1.removed.count }
            return (parts + (links > 0 ? [Console.count(links, "link")] : [])).joined(separator: "  ")
        }
    }

    private func part(_ sign: String, _ counts: [String: Int], _ style: Console.Style) -> [String] {
        counts.sorted { $0.key < $1.key }.map {
            Console.styled("\(sign)\($0.value)", style) + " " + $0.key
        }
    }

    /// Context, process and metadata: `context import, process App 71, reason = cleanup`.
    var origin: String { details.map { "\($0) \($1)" }.joined(separator: ", ") }

    /// The names and values of what the record says of its origin, its author aside.
    var details: [(name: String, value: String)] {
        let header = record.header
        let bundle = header.bundleID.map { " (\($0))" } ?? ""
        return (header.contextName.map { [("context", $0)] } ?? [])
            + [("process", "\(header.processName) \(header.processID)" + bundle)]
            + header.metadata.sorted { $0.key < $1.key }.map { ($0.key + " =", $0.value) }
    }

    /// The record in columns: sequence number, local time, author, what it did.
    var columns: String {
        [
            Console.styled(Console.padded(record.sequence.description, 8, right: true), .bold),
            Console.styled(LogDate(record.header.date).local, .dim),
            Console.styled(
                Console.padded(record.header.author ?? record.header.processName, 24), .cyan),
            text,
        ].joined(separator: "  ")
    }

    static let heading = [
        Console.padded("SEQUENCE", 8, right: true), Console.padded("DATE", 19),
        Console.padded("AUTHOR", 24), "CHANGES",
    ].joined(separator: "  ")
}
