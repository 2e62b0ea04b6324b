import ArgumentParser
import FirnInspection
import FirnLog

/// `firn diff`: what is different between two points of a store's history.
struct Diff: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows what changed between two points: the net change of each object.",
        discussion: """
            \(Point.help) Changes that were taken back in between are not shown. With A after \
            B the difference is backwards. The names are those of the model at the later point. The first line says \
            how many objects differ and who saved between the points; an object's line says which record touched it \
            last. With --json one line follows for each object and link, and nothing else.
            """)

    @OptionGroup var options: StoreOptions
    @Argument(help: ArgumentHelp("The one point.", valueName: "a"), transform: Point.parse) var start: Point
    @Argument(help: ArgumentHelp("The other point.", valueName: "b"), transform: Point.parse) var end: Point = .head
    @Option(help: ArgumentHelp("Only objects of this entity.", valueName: "name")) var entity: String?
    @Flag(help: "Write one JSON object a line.") var json = false

    func run() throws {
        let log = try options.openLog()
        let first = try start.explained(in: log).sequence(in: log, of: options.path)
        let second = try end.explained(in: log).sequence(in: log, of: options.path)
        var difference = try log.difference(from: min(first, second), to: max(first, second))
        if first > second { difference = difference.reversed }
        let names = ModelNames(difference.model, log.externalValues)
        let wanted = try entity.map { try difference.model.subtree(of: $0) }
        var output = Output()
        let members = RecordMembers(difference.changes, names)
        let between = json ? nil : try SavesBetween(min(first, second), max(first, second), log)
        let differing = difference.changes.groups.filter { wanted?.contains($0.entity) ?? true }
        if let between, !differing.isEmpty { output.line(between.heading(differing, names)) }
        for group in differing {
            let change = LoggedChange(group: group, row: 0, names: names, members: members)
            output.line(json ? try change.json().line : change.text(by: between?.last(of: change)))
        }
        for group in difference.changes.links where wanted?.contains(group.entity) ?? true {
            for change in LinkChange.all(of: group, names) { output.line(json ? change.json.line : change.text) }
        }
        output.finish(orSay: "\(options.path): no difference between records \(first) and \(second)")
        for rewrite in difference.rewrites {
            Console.complain(
                "note: record \(rewrite) migrated rows by more than a mapping; what values it changed is not shown")
        }
    }
}

/// The saves between two points: their authors, and the last one of each object.
private struct SavesBetween {
    private struct Save {
        var sequence: SequenceNumber
        var author: String
    }

    private let first: SequenceNumber
    private let end: SequenceNumber
    private var counts: [String: Int] = [:]
    /// By the object's name: entities may have other numbers in another model.
    private var last: [String: Save] = [:]

    init(_ start: SequenceNumber, _ end: SequenceNumber, _ log: SegmentLog) throws {
        (first, self.end) = (start.next, end)
        var models = ModelLibrary(log)
        let reader = try log.records(after: start)
        while reader.position < end, let record = try reader.next() {
            guard case .changes(let changes) = record.body else { continue }
            let save = Save(sequence: record.sequence, author: record.header.author ?? record.header.processName)
            counts[save.author, default: 0] += 1
            let names = try models.names(at: changes.model)
            for group in changes.groups {
                for key in group.primaryKeys { last["\(names.entity(group.entity))/\(key)"] = save }
            }
        }
    }

    /// `record 4, anna`; nil for an object that had another name then.
    func last(of change: LoggedChange) -> String? {
        last[change.object].map { "record \($0.sequence), \($0.author)" }
    }

    /// `records 3 to 17 by anna (12), import (3): created 2 Book; changed 40 Book, 1 Author`
    func heading(_ groups: [ChangeGroup], _ names: ModelNames) -> String {
        let authors = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) (\($0.value))" }
        let verbs: [(ChangeGroup.Operation, String)] = [
            (.insert, "created"), (.update, "changed"), (.delete, "deleted"),
        ]
        let clauses = verbs.compactMap { operation, verb -> String? in
            let entities = groups.filter { $0.operation == operation }.map { ($0.entity, $0.primaryKeys.count) }
            let sums = Dictionary(entities, uniquingKeysWith: +).map { "\($0.value) \(names.entity($0.key))" }.sorted()
            return sums.isEmpty ? nil : verb + " " + sums.joined(separator: ", ")
        }
        let text = "records \(first) to \(end) by " + authors.joined(separator: ", ")
        return Console.styled(Console.printable(text + ": " + clauses.joined(separator: "; ")), .dim)
    }
}
