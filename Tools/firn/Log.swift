import ArgumentParser
import FirnInspection
import FirnLog

/// `firn log`: the records, newest first, one a line.
struct Log: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists the records, newest first.",
        discussion: """
            \(Point.help) --from begins with the first record that is not earlier than a date. An author is found by \
            a part of the name, in any case. A record without an author has the program's name. An entity includes \
            its subentities.
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var selection: LogSelection
    @Flag(help: "List the oldest record first.") var oldestFirst = false
    @Flag(help: "Write one JSON object a line.") var json = false

    func run() throws {
        let log = try options.openLog()
        var printer = RecordPrinter(log, options.path, json: json)
        // Of a damaged log, what can be read.
        defer { printer.flush() }
        try selection.forEachRecord(of: log, options.path, oldestFirst: oldestFirst) { try printer.print($0) }
        printer.finish(orSay: "\(options.path): no record matches, of \(log.recordRange)")
    }
}

/// Writes records as lines, in columns or in JSON.
struct RecordPrinter {
    private let json: Bool
    private var models: ModelLibrary
    private let present: PresentValues
    private var output = Output()
    private var hasHeading = false

    init(_ log: SegmentLog, _ path: String, json: Bool) {
        self.json = json
        present = PresentValues(path, log)
        models = ModelLibrary(log)
    }

    mutating func print(_ record: LogRecord) throws {
        let summary = try RecordSummary(record, &models)
        if json { return output.line(summary.json.line) }
        if !hasHeading {
            hasHeading = true
            output.line(Console.styled(RecordSummary.heading, .dim))
        }
        let origin = Console.styled(summary.origin, .dim)
        output.line(summary.columns(present.lookup(record)) + "  " + origin)
    }

    mutating func flush() { output.flush() }

    mutating func finish(orSay nothing: @autoclosure () -> String) { output.finish(orSay: nothing()) }
}

extension SegmentLog {
    /// The records that there are, in words.
    var recordRange: String { head < first ? "none" : "records \(first) to \(head)" }
}
