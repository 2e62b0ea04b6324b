import ArgumentParser
import FirnInspection
import FirnLog
import FirnProjection

/// `firn search`: the values that have a text, now or earlier.
struct Search: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Finds objects by the words of their values, as they are and as they were.",
        discussion: """
            Texts, addresses, numbers and identifiers that have all the words are found, whatever the case and the \
            accents of their letters. The last word may be the beginning of one; "two words" in quotation marks are \
            next to each other. Each value is shown with the records in which the object had it. Values of the \
            present come first, then those that fit best. \(HistoryPlace.help)
            """)

    @OptionGroup var options: StoreOptions
    @Argument(help: ArgumentHelp("Words of a value.", valueName: "text")) var text: String
    @Option(help: ArgumentHelp("Only objects of this entity, and of those below it.", valueName: "name"))
    var entity: String?
    @Option(help: ArgumentHelp("Only values of this property.", valueName: "name")) var property: String?
    @Option(parsing: .unconditional, help: ArgumentHelp("List at most this number of values.", valueName: "count"))
    var limit = 100
    @Flag(help: "Only values that objects have now.") var present = false
    @Flag(help: "Write one JSON object a line.") var json = false

    func validate() throws {
        guard TextQuery(text).expression != nil else {
            throw ValidationError("The text has no word: name one that is in a value.")
        }
        guard limit >= 0 else { throw ValidationError("--limit cannot be less than 0.") }
    }

    func run() throws {
        let log = try options.openLog()
        defer { log.close() }
        // Names that no model has are refused.
        _ = try RecordFilter(author: nil, entity: entity, property: property, in: log)
        guard let model = try log.currentModel?.model else {
            throw Failure("\(options.path): the store has no model yet, so nothing was saved to it")
        }
        let scope = TextScope(entity: entity, property: property, age: present ? .present : .any)
        let found = try options.withHistory(of: log) {
            try $0.texts(TextQuery(text), in: scope, limit: limit == .max ? limit : limit + 1)
        }
        let titles = PresentValues(options.path, log).titles(model)
        var output = Output()
        for value in found.prefix(limit) { output.line(json ? value.json.line : value.line(titles(value.now.key))) }
        output.finish(orSay: "\(options.path): no value has “\(text)”")
        if found.count > limit {
            let more = max(limit, 10) * 10
            Console.complain("note: there are more; --limit \(more) lists more, --entity and --property fewer")
        }
    }
}

extension FoundText {
    private var object: String { "\(now.entity)/\(now.key.primaryKey)" }

    /// `Book/7 “Emma”  title  "Emma"  since record 17, 2026-11-27 10:00:00, anna`
    fileprivate func line(_ title: String?) -> String {
        let origin = date.map { ", " + LogDate($0).local } ?? " or earlier"
        let records = end.map { "records \(start) to \($0.rawValue - 1)" } ?? "since record \(start)"
        return [
            Console.styled(object + (title.map { " “\($0)”" } ?? ""), end == nil ? .bold : .dim),
            Console.styled(property, .cyan), Console.printable(shortened),
            Console.styled(records + origin + (author.map { ", " + $0 } ?? ""), .dim),
        ].joined(separator: "  ")
    }

    private static let lengthMax = 200

    private var shortened: String {
        let isLong = value.count > Self.lengthMax
        return "\"" + value.prefix(Self.lengthMax) + (isLong ? "… (\(value.count) characters)" : "") + "\""
    }

    fileprivate var json: JSONObject {
        return [
            "object": .text(object), "property": .text(property), "value": .text(value),
            "sequence": .number(start.rawValue), "date": date.map { .text(LogDate($0).iso8601) },
            "author": author.map(JSON.text), "end": end.map { .number($0.rawValue) },
        ]
    }
}
