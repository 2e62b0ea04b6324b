import ArgumentParser
import FirnLog
import Foundation

/// `firn history`: what happened to one object, or to one of its properties.
struct ObjectHistory: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Shows what happened to one object.",
        discussion: """
            OBJECT is an entity's name and a key, as other commands print them: Author/7. With --property only changes \
            of that property are shown. Reads the whole log. Ends with status 2 if no record names the object.
            """)

    @OptionGroup var options: StoreOptions
    @Argument(help: ArgumentHelp("The object, for example Author/7.", valueName: "object")) var object: String
    @Option(help: ArgumentHelp("Only changes of this property.", valueName: "name")) var property: String?
    @Flag(help: "Write one JSON object a line.") var json = false

    func run() throws {
        let parts = object.split(separator: "/")
        let key = parts.count == 2 ? Int64(parts[1].drop { $0 == "p" }) : nil
        guard let key else {
            throw Failure("\(object): name an object by its entity and key, for example Author/7")
        }
        let log = try options.openLog()
        var models = ModelLibrary(log)
        var output = Output()
        var isKnown = false
        let reader = try log.records(after: log.baseline)
        while let record = try reader.next() {
            guard case .changes(let changes) = record.body else { continue }
            let names = try models.names(at: changes.model)
            for group in changes.groups where names.entity(group.entity) == parts[0] {
                guard let row = group.primaryKeys.firstIndex(of: key) else { continue }
                isKnown = true
                guard tells(group, names) else { continue }
                show(ObjectChange(group: group, row: row, names: names), record, &output)
            }
        }
        output.flush()
        if !isKnown { throw Failure("\(options.path): no record from \(log.first) on names \(object)") }
    }

    private func tells(_ group: ChangeGroup, _ names: ModelNames) -> Bool {
        guard let property else { return true }
        return group.slots.contains { names.property($0, of: group.entity)?.name == property }
    }

    private func show(_ change: ObjectChange, _ record: LogRecord, _ output: inout Output) {
        guard json else {
            let author = record.header.author ?? record.header.processName
            output.line(
                Console.styled("record \(record.sequence)", .bold) + "  "
                    + Console.styled(LogDate(record.header.date).local, .dim) + "  "
                    + Console.styled(Console.printable(author), .cyan))
            return output.line(change.text)
        }
        var object = JSONObject()
        object["sequence"] = .integer(Int64(clamping: record.sequence.rawValue))
        object["date"] = .text(LogDate(record.header.date).iso8601)
        if let author = record.header.author { object["author"] = .text(author) }
        object["change"] = .object(change.json)
        output.line(object.line)
    }
}
