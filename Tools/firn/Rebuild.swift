import ArgumentParser
import FirnInspection
import FirnLog

/// `firn rebuild`: tables from the log.
struct Rebuild: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Rebuilds the tables from the log.",
        discussion: """
            New tables are built in a file next to the old ones, and then replace them. Saves wait meanwhile. \
            A file of another program in their place is kept, with .replaced added to its name. \
            An incomplete last record, which a crash may leave, is removed first, as on any opening. \
            If the log has lost records that the tables hold, nothing is done, since the tables have the only copy of \
            what they did; with --set-tables-aside the old tables are kept like that file.
            """)

    @OptionGroup var options: StoreOptions
    @Flag(help: "Rebuild also if the log has lost records, and keep the old tables.") var setTablesAside = false
    @Flag(help: "Write one JSON object.") var json = false

    func run() throws {
        try options.checkThere()
        let log = try setTablesAside
            ? SegmentLog.open(directory: options.logDirectory, forWriting: true) : options.openLogForWriting()
        defer { log.close() }
        var progress = Progress("rebuilding: record")
        let (head, aside) = try log.exclusively {
            guard let tables = try StoreTables(options.path, log) else {
                throw Failure(
                    "\(options.path): the log has no model yet, so there are no tables to make")
            }
            let aside = try tables.rebuild(settingAside: setTablesAside) {
                progress.update($0.rawValue, of: $1.rawValue)
            }
            return (log.head, aside)
        }
        progress.finish()
        let baseline = log.baseline
        let source = baseline == .zero ? "records 1" : "the baseline of record \(baseline) and records after it"
        Output.write(
            ["store": .text(options.path), "head": .number(head.rawValue), "kept": aside.map(JSON.text)], asJSON: json,
            [
                "\(options.path): rebuilt from \(source) to \(head)",
                aside.map { "what was in its place is kept as \($0)" },
            ])
    }
}
