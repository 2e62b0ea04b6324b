import ArgumentParser
import FirnInspection
import FirnLog

/// `firn search`: the values that have a text, now or earlier.
struct Search: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Finds objects by a text in their values, as they are and as they were.",
        discussion: """
            Texts, numbers, dates and identifiers are searched as other commands print them, in any case. Each value \
            that has the text is shown with the records in which the object had it. Values of the present come first, \
            then the newest. Reads the whole log.
            """)

    @OptionGroup var options: StoreOptions
    @Argument(help: ArgumentHelp("A part of a value.", valueName: "text")) var text: String
    @Option(help: ArgumentHelp("Only objects of this entity, and of those below it.", valueName: "name"))
    var entity: String?
    @Option(help: ArgumentHelp("Only values of this property.", valueName: "name")) var property: String?
    @Option(parsing: .unconditional, help: ArgumentHelp("List at most this number of values.", valueName: "count"))
    var limit = 100
    @Flag(help: "Only values that objects have now.") var present = false
    @Flag(help: "Write one JSON object a line.") var json = false

    func validate() throws {
        guard !text.isEmpty else { throw ValidationError("The text is empty: name a part of a value.") }
        guard limit >= 0 else { throw ValidationError("--limit cannot be less than 0.") }
    }

    func run() throws {
        let log = try options.openLog()
        var search = ValueSearch(text, property: property)
        try search.run(log, try RecordFilter(author: nil, entity: entity, property: property, in: log), options.path)
        let hits = search.hits(present: present)
        var output = Output()
        for hit in hits.prefix(limit) { output.line(json ? hit.json.line : hit.line) }
        output.finish(orSay: "\(options.path): no value has “\(text)”")
        if hits.count > limit {
            Console.complain(
                "note: \(hits.count - limit) more; --limit \(hits.count) lists them, --entity and --property fewer")
        }
    }
}

/// A value that has the text that was searched for.
private struct Hit {
    let object: String
    let property: String
    let value: String
    let record: SequenceNumber
    let header: TransactionHeader?
    /// Nil for an object without any.
    var title: String?
    /// The record with which the object had another value, or went; nil for a value of the present.
    var end: SequenceNumber?

    private var author: String? { header.map { $0.author ?? $0.processName } }

    /// `Book/7 “Emma”  title  "Emma"  since record 17, 2026-11-27 10:00:00, anna`
    var line: String {
        let origin = header.map { ", " + LogDate($0.date).local } ?? " or earlier"
        let records = end.map { "records \(record) to \($0.rawValue - 1)" } ?? "since record \(record)"
        return [
            Console.styled(Console.printable(object + (title.map { " “\($0)”" } ?? "")), end == nil ? .bold : .dim),
            Console.styled(Console.printable(property), .cyan), Console.printable(value),
            Console.styled(Console.printable(records + origin + (author.map { ", " + $0 } ?? "")), .dim),
        ].joined(separator: "  ")
    }

    var json: JSONObject {
        var result = JSONObject()
        result["object"] = .text(object)
        result["property"] = .text(property)
        result["value"] = .text(value)
        result["sequence"] = .integer(Int64(clamping: record.rawValue))
        if let header { result["date"] = .text(LogDate(header.date).iso8601) }
        if let author { result["author"] = .text(author) }
        if let end { result["end"] = .integer(Int64(clamping: end.rawValue)) }
        return result
    }
}

/// A walk through a log that keeps the values with a text, each from the record that set it to the one that ended it.
private struct ValueSearch {
    /// By name: entities may have other numbers in another model.
    private struct Place: Hashable {
        var object: String
        var property: String
    }

    private static let hitsMax = 200_000

    private let text: String
    private let property: String?
    private var hits: [Hit] = []
    /// By their places, the values that have not ended.
    private var open: [Place: Int] = [:]
    /// The properties that have such a value, by their objects.
    private var places: [String: Set<String>] = [:]

    init(_ text: String, property: String?) {
        self.text = text.lowercased()
        self.property = property
    }

    /// Values of the present first, then the newest.
    func hits(present: Bool) -> [Hit] {
        let wanted = present ? hits.filter { $0.end == nil } : hits
        return wanted.sorted { ($0.end == nil ? 1 : 0, $0.record) > ($1.end == nil ? 1 : 0, $1.record) }
    }

    /// Throws if the text is in more values than anybody reads.
    mutating func run(_ log: SegmentLog, _ filter: RecordFilter, _ path: String) throws {
        var models = ModelLibrary(log)
        let present = PresentValues(path, log)
        let reader = try log.replay()
        var progress = Progress("searching record")
        defer { progress.finish() }
        while let record = try reader.next() {
            progress.update(record.sequence.rawValue, of: log.head.rawValue)
            guard let changes = record.rows else { continue }
            let names = try models.names(at: changes.model)
            let lookup = present.lookup(record)
            for group in changes.groups where filter.entities(at: changes.model)?.contains(group.entity) ?? true {
                for row in group.primaryKeys.indices {
                    add(LoggedChange(group: group, row: row, names: names), record, lookup)
                }
            }
            guard hits.count <= Self.hitsMax else {
                throw Failure(
                    "\(path): more than \(Self.hitsMax) values have “\(text)”: search for more of it, or name --entity "
                        + "and --property")
            }
        }
    }

    private mutating func add(_ change: LoggedChange, _ record: LogRecord, _ lookup: RecordSentence.Lookup) {
        if change.group.operation == .refresh { return }
        if change.group.operation == .delete {
            for property in places.removeValue(forKey: change.object) ?? [] { end(change.object, property, record) }
            return
        }
        for (name, old, new) in change.values where name == property ?? name {
            guard let new, new.value != old?.value else { continue }
            end(change.object, name, record)
            guard let words = new.text, !new.value.isNull, words.lowercased().contains(text) else { continue }
            var header: TransactionHeader?
            if case .changes = record.body { header = record.header }
            open[Place(object: change.object, property: name)] = hits.count
            places[change.object, default: []].insert(name)
            hits.append(
                Hit(
                    object: change.object, property: name, value: new.short, record: record.sequence, header: header,
                    title: change.title(lookup)))
        }
    }

    private mutating func end(_ object: String, _ property: String, _ record: LogRecord) {
        guard let index = open.removeValue(forKey: Place(object: object, property: property)) else { return }
        hits[index].end = record.sequence
    }
}
