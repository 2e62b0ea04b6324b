import ArgumentParser
import FirnLog
import Foundation

/// What the history of a store takes as a log, as rows of audit triggers, and as SQLite's changesets.
struct Weigh: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Compare a store's log with other ways to keep the same history.",
        discussion: """
            The log is replayed into plain tables with audit triggers, a transaction for each record. Stores that were \
            migrated or trimmed are refused: their log does not begin with the tables empty.
            """)

    @Argument(help: "The store's path.")
    var store: String

    @Option(help: "Where the plain tables are made; removed at the end.")
    var folder = ".bench"

    func run() throws {
        let log = try SegmentLog.open(directory: store + "-log", forWriting: false)
        defer { log.close() }
        let place = URL(fileURLWithPath: folder).appendingPathComponent("weigh")
        try? FileManager.default.removeItem(at: place)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        let database = try RawDatabase(place.appendingPathComponent("tables.sqlite").path, synchronous: "OFF")
        let model = try log.model(at: log.first)
        guard log.baseline == .zero, try log.currentModel?.sequence == log.first else {
            throw ValidationError("\(store) was migrated or trimmed")
        }
        let tables = try ReplayedTables(model, in: database)
        var changesets = 0
        var (records, changes) = (0, 0)
        let replay = try log.replay()
        while let record = try replay.next() {
            guard case .changes(let changeSet) = record.body else { continue }
            changesets += try Changeset.size(of: tables.names, in: database) {
                try database.transaction { try tables.apply(changeSet) }
            }
            records += 1
            changes += changeSet.objectCount
        }
        tables.finish()
        let audit = try AuditTriggers.size(in: database, tables: tables.names)
        let bytes = Double(try LogBytes.count(log))
        print(
            """
            \(records) transactions of \(changes) objects
            log            \(Int(bytes)) bytes
            audit table    \(Int(audit)) bytes; the log takes \(Self.ratio(bytes, audit)) of it
            changesets     \(changesets) bytes; the log takes \(Self.ratio(bytes, Double(changesets))) of them
            """)
    }

    private static func ratio(_ part: Double, _ whole: Double) -> String { String(format: "%.3f", part / whole) }
}
