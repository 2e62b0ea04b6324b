import ArgumentParser
import FirnLog

/// `firn log`: the records, oldest first, one a line.
struct Log: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the records, oldest first.")

    @OptionGroup var options: StoreOptions
    @Option(help: ArgumentHelp("Begin after this record.", valueName: "sequence")) var after:
        UInt64 = 0
    @Option(help: ArgumentHelp("List so many records at most.", valueName: "count")) var limit: Int?
    @Flag(help: "Write one JSON object a line.") var json = false

    func run() throws {
        let log = try options.openLog()
        var printer = RecordPrinter(log, json: json)
        let reader = try log.records(after: max(SequenceNumber(after), log.beforeFirst))
        var count = 0
        while count < limit ?? .max, let record = try reader.next() {
            try printer.print(record)
            count += 1
        }
        printer.flush()
    }
}

extension SegmentLog {
    /// The position before the first record that is still there.
    var beforeFirst: SequenceNumber { SequenceNumber(first.rawValue - 1) }
}

/// Writes records as lines, in columns or in JSON.
struct RecordPrinter {
    private let json: Bool
    private var models: ModelLibrary
    private var output = Output()
    private var hasHeading = false

    init(_ log: SegmentLog, json: Bool) {
        self.json = json
        models = ModelLibrary(log)
    }

    mutating func print(_ record: LogRecord) throws {
        let summary = try RecordSummary(record, &models)
        if json { return output.line(summary.json.line) }
        if !hasHeading {
            hasHeading = true
            output.line(Console.styled(RecordSummary.heading, .dim))
        }
        output.line(summary.columns)
    }

    mutating func flush() { output.flush() }
}
