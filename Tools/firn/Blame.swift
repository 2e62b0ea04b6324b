import ArgumentParser
import FirnInspection
import FirnLog

/// `firn blame`: who gave an object its values, when, and what was there before.
struct Blame: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows who set each value of an object, when, and what was there before.",
        discussion: """
            OBJECT is an entity's name and a key, as other commands print them: Author/7. With a property, \
            Author/7.name, every value that it ever had is shown, oldest first. Of a deleted object the last values \
            are shown. What is older than a trimmed log is of the record that it was trimmed at, and nobody's. \
            \(HistoryPlace.help)
            """)

    @OptionGroup var options: StoreOptions
    @Argument(help: ArgumentHelp("The object or one of its properties: Author/7, Author/7.name.", valueName: "object"))
    var object: String
    @Flag(help: "Write one JSON object a line.") var json = false

    func run() throws {
        let (name, property) = try ObjectName.withProperty(object)
        let log = try options.openLog()
        let story = try ObjectStory(name, property, in: log, of: options)
        var life = Life(only: story.property)
        try story.forEachChange { life.add($0, $1) }
        var output = Output()
        if json {
            for version in life.versions { output.line(try version.json(of: name).line) }
        } else {
            output.line(life.heading(of: name))
            for line in Version.table(life.versions) { output.line(line) }
        }
        output.flush()
        if life.versions.isEmpty { Console.complain("note: no record set \(property ?? "a value") of \(name.text)") }
    }
}

/// One value of a property, and the record that set it.
private struct Version {
    let property: String
    /// Nil for members that came or went, which `words` names.
    let value: ValueText?
    let before: ValueText?
    let words: String
    let origin: Origin

    static func table(_ versions: [Version]) -> [String] {
        if versions.isEmpty { return [] }
        let cells = [["PROPERTY", "VALUE", "BEFORE", "RECORD", "DATE", "AUTHOR"]] + versions.map(\.cells)
        let widths = (0..<6).map { column in cells.map { $0[column].count }.max() ?? 0 }
        return cells.enumerated().map { index, row in
            let padded = row.enumerated().map { column, cell in
                column == 5 ? cell : Console.padded(cell, widths[column], right: column == 3)
            }
            if index == 0 { return Console.styled(padded.joined(separator: "  "), .dim) }
            let styles: [Console.Style?] = [.cyan, nil, .dim, .bold, .dim, .cyan]
            return zip(padded, styles).map { text, style in style.map { Console.styled(text, $0) } ?? text }
                .joined(separator: "  ")
        }
    }

    private static let cellMax = 40

    private var cells: [String] {
        let texts = [property, words, before?.short ?? "", "\(origin.record)", origin.date, origin.author]
        return texts.map { text in
            let text = Console.printable(text)
            return text.count <= Self.cellMax ? text : text.prefix(Self.cellMax - 1) + "…"
        }
    }

    /// Throws for a large value that cannot be read.
    func json(of name: ObjectName) throws -> JSONObject {
        var object: JSONObject = [
            "object": .text(name.text), "property": .text(property),
            "value": try value?.json, "members": value == nil ? .text(words) : nil, "before": try before?.json,
        ]
        origin.add(to: &object)
        return object
    }
}

/// The record behind a value.
private struct Origin {
    let record: SequenceNumber
    let header: TransactionHeader?

    init(_ record: LogRecord) {
        self.record = record.sequence
        if case .changes = record.body { header = record.header } else { header = nil }
    }

    var date: String { header.map { LogDate($0.date).local } ?? "or earlier" }
    var author: String { header.map { $0.author ?? $0.processName } ?? "" }
    var text: String { "record \(record)" + (header == nil ? " or earlier" : " on \(date) by \(author)") }

    func add(to object: inout JSONObject) {
        object["sequence"] = .integer(Int64(clamping: record.rawValue))
        guard let header else { return }
        object["date"] = .text(LogDate(header.date).iso8601)
        if let author = header.author { object["author"] = .text(author) }
        object["process"] = .text(header.processName)
    }
}

/// The values of one object: the last one of each property, or all of one.
private struct Life {
    private let only: String?
    private(set) var versions: [Version] = []
    private var title: String?
    private var beginning: Origin?
    private var end: Origin?

    init(only property: String?) { only = property }

    mutating func add(_ change: LoggedChange, _ record: LogRecord) {
        let origin = Origin(record)
        title = change.title { _, _ in nil } ?? title
        switch change.group.operation {
        case .insert: (beginning, end) = (origin, nil)
        case .delete: end = origin
        case .update, .refresh: break
        }
        if change.group.operation == .delete || change.group.operation == .refresh { return }
        for (name, old, new) in change.values {
            guard let new, new.value != old?.value, !(old == nil && new.value.isNull) else { continue }
            set(Version(property: name, value: new, before: old, words: new.short, origin: origin))
        }
        for relationship in change.relationships {
            let words = relationship.isReordered ? "order changed" : relationship.members.text(change.names.object)
            set(Version(property: relationship.name, value: nil, before: nil, words: words, origin: origin))
        }
    }

    private mutating func set(_ version: Version) {
        guard version.property == only ?? version.property else { return }
        let index = only == nil ? versions.firstIndex { $0.property == version.property } : nil
        if let index { versions[index] = version } else { versions.append(version) }
    }

    /// `Author/7 “Jane”: created by record 3 on 2026-11-27 10:00:00 by anna`
    func heading(of name: ObjectName) -> String {
        let title = title.map { " “\($0)”" } ?? ""
        var parts = ["created by " + (beginning?.text ?? "a record that is gone")]
        if let end { parts.append("deleted by " + end.text) }
        return Console.printable(name.text + title + ": " + parts.joined(separator: ", "))
    }
}
