import FirnInspection
import FirnLog

/// What a terminal shows of records and changes.
extension ObjectChange {
    /// One line for the object and one for each property, with old and new value.
    var text: String {
        let (sign, style): (String, Console.Style) =
            switch group.operation {
            case .insert: ("+", .green)
            case .update: ("~", .yellow)
            case .delete: ("-", .red)
            case .refresh: ("!", .dim)
            }
        var lines = [Console.styled(sign + " " + object, style)]
        for (index, slot) in group.slots.enumerated() {
            let property = names.property(slot, of: group.entity)
            let name = Console.styled(property?.name ?? "slot \(slot)", .cyan)
            if let values = values(index, property) {
                lines.append("    \(name)  " + Console.printable(values))
            }
        }
        return lines.joined(separator: "\n")
    }

    private func values(_ index: Int, _ property: LogProperty?) -> String? {
        let old = value(group.old, index, property)?.short
        let new = value(group.new, index, property)?.short
        switch (old, new) {
        case (let old?, let new?): return old + " → " + new
        case (nil, "nil"?), ("nil"?, nil), (nil, nil):
            return isTouched(index) ? "members changed" : nil
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
        case .model(let model): return "model of \(model.entities.count) entities"
        case .reservation(let keys): return "keys reserved in \(keys.count) entities"
        case .erasure(let erasure):
            return erasure.replaced.isEmpty
                ? "an erasure is done" : "values are erased from \(erasure.replaced.count) records"
        case .baseline: return "a part of the state after this record"
        case .changes(let changes):
            let parts =
                part("+", inserted, .green) + part("~", updated, .yellow) + part("-", deleted, .red)
                + part("!", refreshed, .dim)
            let links = changes.links.reduce(0) { $0 + $1.added.count + $1.removed.count }
            return (parts + (links > 0 ? ["\(links) links"] : [])).joined(separator: "  ")
        }
    }

    private func part(_ sign: String, _ counts: [String: Int], _ style: Console.Style) -> [String] {
        counts.sorted { $0.key < $1.key }.map {
            Console.styled("\(sign)\($0.value)", style) + " " + $0.key
        }
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
