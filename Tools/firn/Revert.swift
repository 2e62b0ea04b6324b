import ArgumentParser
import Firn
import FirnInspection
import FirnLog
import Foundation

/// `firn revert`: a record's changes are undone, or an object or a property is as it was.
struct Revert: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Undoes a record, or puts an object or a property back to a point.",
        discussion: """
            TARGET is the number of a record, an object, Author/7, or a property of one, Author/7.name. For an object \
            or a property --to says as of when. \(Point.help) A record is undone if what it changed was not changed \
            since. An object that was deleted comes back under a new key. Members that lead to an object by their own \
            to-one relationship stay where they are, unless the relationship is named.

            What would be done is shown, and saved after a question on a terminal or with --yes. The save is an \
            ordinary one: history keeps both, and the next revert can undo it.
            """)

    @OptionGroup var options: StoreOptions
    @Argument(help: ArgumentHelp("A record's number, an object, or a property of one.", valueName: "target"))
    var target: String
    @Option(help: ArgumentHelp("The point as of which.", valueName: "point"), transform: Point.parse) var to: Point?
    @Flag(help: "Save without a question.") var yes = false
    @Flag(help: "Write one JSON object.") var json = false

    func validate() throws {
        if UInt64(target) != nil, to != nil { throw ValidationError("--to is for an object or a property.") }
        if UInt64(target) == nil, to == nil {
            throw ValidationError("Name the point with --to: a record's number, yesterday, '2026-11-20 10:30'.")
        }
    }

    func run() throws {
        try options.checkThere()
        let wanted = try wanted()
        let coordinator = try options.openCoordinator()
        guard let store = coordinator.persistentStores.first else { return }
        var isSaved = false
        let reversal = try Reversal(
            wanted, in: store, of: coordinator, author: "firn", name: "firn revert \(target)"
        ) { reversal, context in
            if !json { Console.write(reversal.changes.map(\.text).joined(separator: "\n") + "\n") }
            guard yes || isConfirmed() else { return }
            try context.save()
            isSaved = true
        }
        guard reversal.obstacles.isEmpty else {
            let obstacles = reversal.obstacles.map(\.text).joined(separator: "; ")
            throw Failure("\(options.path): \(target) cannot be put back: \(obstacles)")
        }
        if json { Console.write(object(reversal, isSaved).line + "\n") }
        if reversal.changes.isEmpty { return Console.complain("note: \(options.path): \(target) is as it was") }
        let outcome = isSaved ? "saved" : "nothing is saved" + (isatty(STDIN_FILENO) == 1 ? "" : ": --yes does it")
        Console.complain("note: \(options.path): \(outcome)")
    }

    private func wanted() throws -> Reversal.Target {
        let log = try options.openLog()
        defer { log.close() }
        if let number = UInt64(target) {
            let sequence = try Point.parse(target).record(in: log, of: options.path)
            let record = try log.record(at: sequence)
            guard case .changes = record.body else {
                throw Failure("\(options.path): record \(number) has no changes of objects; revert another one")
            }
            return .record(record)
        }
        let (name, property) = try ObjectName.withProperty(target)
        _ = try log.currentModel?.model.entity(named: name.entity)
        guard let sequence = try to?.explained(in: log).state(in: log, of: options.path) else {
            throw Failure("name the point with --to")
        }
        return .object(name, property: property, sequence: sequence)
    }

    /// Asks on a terminal; elsewhere nobody can say yes.
    private func isConfirmed() -> Bool {
        guard isatty(STDIN_FILENO) == 1, !json else { return false }
        Console.writeError("Save this? [y/N] ")
        return readLine()?.lowercased().hasPrefix("y") ?? false
    }

    private func object(_ reversal: Reversal, _ isSaved: Bool) -> JSONObject {
        [
            "store": .text(options.path), "target": .text(target), "saved": .bool(isSaved),
            "changes": .array(reversal.changes.map { .object($0.json) }),
        ]
    }
}

extension Reversal.Change {
    fileprivate var text: String {
        let (sign, style): (String, Console.Style) =
            switch kind {
            case .insert: ("+", .green)
            case .update: ("~", .yellow)
            case .delete: ("-", .red)
            }
        let lines = properties.map { property in
            let values = [property.old, property.new].map { $0.map { Console.printable($0) } }
            let text =
                switch kind {
                case .insert: values[1] ?? "nil"
                case .update: "\(values[0] ?? "nil") → \(values[1] ?? "nil")"
                case .delete: values[0] ?? "nil"
                }
            return "    " + Console.styled(property.name, .cyan) + "  " + text
        }
        return ([Console.styled(sign + " " + object, style)] + lines).joined(separator: "\n")
    }

    fileprivate var json: JSONObject {
        var result: JSONObject = ["operation": .text("\(kind)"), "object": .text(object)]
        for (key, side) in [("old", \Property.old), ("new", \Property.new)] {
            let values = properties.compactMap { property in
                property[keyPath: side].map { (property.name, JSON.text($0)) }
            }
            if !values.isEmpty { result[key] = .object(JSONObject(Dictionary(values) { $1 })) }
        }
        return result
    }
}
