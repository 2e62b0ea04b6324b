import FirnInspection
import FirnLog

/// What a terminal shows of records and changes.
extension LoggedChange {
    /// One line for the object and one for each property, with old and new value, and for each relationship, with the
    /// members that came and went. The object's line ends with `origin`.
    func text(only wanted: String? = nil, by origin: String? = nil) -> String {
        let (sign, style): (String, Console.Style) =
            switch group.operation {
            case .insert: ("+", .green)
            case .update: ("~", .yellow)
            case .delete: ("-", .red)
            case .refresh: ("!", .dim)
            }
        return
            ([Console.styled(sign + " " + object, style) + (origin.map { "  " + Console.styled($0, .dim) } ?? "")]
            + details().filter { $0.name == wanted ?? $0.name }.map {
                "    " + Console.styled($0.name, .cyan) + "  " + Console.printable($0.text)
            }).joined(separator: "\n")
    }
}

extension LinkChange {
    var text: String {
        Console.styled(isAdded ? "+" : "-", isAdded ? .green : .red)
            + Console.printable(" \(source).\(relationship) \(destination)")
    }
}

extension RecordSummary {
    /// What the record did, in words: `changed Book/7 “Emma”: pages 300 → 310`.
    func text(_ lookup: RecordSentence.Lookup) -> String {
        switch record.body {
        case .model(let model):
            return "model of " + Counted.text(model.entities.count, "entity", "entities")
        case .reservation(let keys): return "keys reserved in " + Counted.text(keys.count, "entity", "entities")
        case .erasure(let erasure):
            return erasure.replaced.isEmpty
                ? "an erasure is done" : "values are erased from \(Counted.text(erasure.replaced.count, "record"))"
        case .baseline: return "a part of the state after this record"
        case .changes(let changes):
            var parts = sentence(changes, lookup)
            let links = changes.links.linkCount
            if links > 0, parts.isEmpty { parts.append(Counted.text(links, "link")) }
            return parts.joined(separator: "; ")
        }
    }

    private func sentence(_ changes: ChangeSet, _ lookup: RecordSentence.Lookup) -> [String] {
        guard let names else { return [] }
        return RecordSentence(changes, names, lookup).clauses.map { clause in
            let style: Console.Style =
                switch clause.operation {
                case .insert: .green
                case .update: .yellow
                case .delete: .red
                case .refresh: .dim
                }
            return Console.styled(clause.verb, style) + " " + Console.printable(clause.text)
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
    func columns(_ lookup: RecordSentence.Lookup) -> String {
        [
            Console.styled(Console.padded(record.sequence.description, 8, right: true), .bold),
            Console.styled(LogDate(record.header.date).local, .dim),
            Console.styled(
                Console.padded(record.header.author ?? record.header.processName, 24), .cyan),
            text(lookup),
        ].joined(separator: "  ")
    }

    static let heading = [
        Console.padded("SEQUENCE", 8, right: true), Console.padded("DATE", 19),
        Console.padded("AUTHOR", 24), "CHANGES",
    ].joined(separator: "  ")
}
