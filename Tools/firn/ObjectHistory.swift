import ArgumentParser
import FirnInspection
import FirnLog
import Foundation

/// `firn history`: what happened to one object, or to one of its properties.
struct ObjectHistory: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Shows what happened to one object.",
        discussion: """
            OBJECT is an entity's name and a key, as other commands print them: Author/7. With --property only changes \
            of that property are shown. Ends with status 2 if no record names the object. \(HistoryPlace.help)
            """)

    @OptionGroup var options: StoreOptions
    @Argument(help: ArgumentHelp("The object, for example Author/7.", valueName: "object")) var object: String
    @Option(help: ArgumentHelp("Only changes of this property.", valueName: "name")) var property: String?
    @Flag(help: "Write one JSON object a line.") var json = false

    func run() throws {
        let name = try ObjectName(object)
        let log = try options.openLog()
        var output = Output()
        var isShown = false
        let story = try ObjectStory(name, property, in: log, of: options)
        let property = story.property
        try story.forEachChange { change, record in
            guard case .changes = record.body, property.map(change.mentions) ?? true else { return }
            isShown = true
            try show(change, of: property, record, &output)
        }
        output.flush()
        if isShown { return }
        Console.complain(
            property == nil
                ? "note: every record that changed \(name.text) was trimmed"
                : "note: no record changed that property of \(name.text)")
    }

    private func show(
        _ change: LoggedChange, of property: String?, _ record: LogRecord, _ output: inout Output
    ) throws {
        guard json else {
            let author = record.header.author ?? record.header.processName
            output.line(
                Console.styled("record \(record.sequence)", .bold) + "  "
                    + Console.styled(LogDate(record.header.date).local, .dim) + "  "
                    + Console.styled(author, .cyan))
            return output.line(change.text(only: property))
        }
        output.line([
            "sequence": .number(record.sequence.rawValue), "date": .text(LogDate(record.header.date).iso8601),
            "author": record.header.author.map(JSON.text), "change": .object(try change.json(only: property)),
        ])
    }
}
