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
        if let between, !differing.isEmpty {
            output.line(Console.styled(between.sentence(differing, names), .dim))
        }
        for group in differing {
            let change = LoggedChange(group: group, row: 0, names: names, members: members)
            let last = between?.last(of: change).map { "record \($0.sequence), \($0.author)" }
            output.line(json ? try change.json().line : change.text(by: last))
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
