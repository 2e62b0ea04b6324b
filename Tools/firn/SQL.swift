import ArgumentParser
import FirnInspection
import FirnLog
import FirnProjection
import Foundation
import Synchronization

/// `firn sql`: the history as tables.
struct SQL: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sql",
        abstract: "Makes the history of a store tables for any SQLite program, and queries them.",
        discussion: """
            Without a query the file STORE-history is made or brought up to date, and its tables are listed: \
            sqlite3, DB Browser, Datasette, DuckDB and pandas open it as it is. With a query its rows are printed. A \
            query is one statement of SQLite's SQL that writes nothing.

            ENTITY_history has each version of each object, ENTITY_now the present, firn_changes each value with the \
            one before, firn_records who wrote when. Documentation/Format.md describes them.

            After a migration the tables are in the terms of the newest model; --as-of shows those of the model that \
            was in force then. \(Point.help)
            """)

    @OptionGroup var options: StoreOptions
    @Argument(help: ArgumentHelp("The statement.", valueName: "query")) var query: String?
    @Option(help: ArgumentHelp("In the terms of the model that was in force then.", valueName: "point"),
        transform: Point.parse)
    var asOf: Point?
    @Flag(help: "Write one JSON object a line.") var json = false
    @Flag(help: "Write comma-separated values.") var csv = false

    func validate() throws {
        guard !json || !csv else { throw ValidationError("Choose one of --json and --csv.") }
        guard !csv || query != nil else { throw ValidationError("--csv writes the rows of a query: name one.") }
    }

    func run() throws {
        let log = try options.openLog()
        defer { log.close() }
        let place = try HistoryPlace(options, log)
        defer { place.remove() }
        guard place.isKept || query != nil else {
            throw Failure(
                "\(options.path): nothing can be written next to the store, so the file cannot stay there; give a "
                    + "query")
        }
        let file = try history(log, place)
        guard let query else { return try list(file, log) }
        try answer(query, file)
    }

    private func history(_ log: SegmentLog, _ place: HistoryPlace) throws -> PastStates.HistoryFile {
        let sequence = try asOf?.state(in: log, of: options.path) ?? log.head
        try asOf?.explained(in: log)
        guard try log.model(inForceAt: sequence) != nil else {
            throw Failure("\(options.path): the store had no model yet, so nothing was saved to it")
        }
        do {
            let past = PastStates(log, .file(place.path), progress: HistoryPlace.progress())
            return try past.historyFile(at: sequence)
        } catch {
            throw HistoryPlace.failure(error, place.path)
        }
    }

    private func list(_ file: PastStates.HistoryFile, _ log: SegmentLog) throws {
        let query = try HistoryQuery(file.path)
        let views = file.schema.layout.historyViews
        let tables = try [("firn_records", nil, "records of the log")]
            .map { try ListedTable(name: $0.0, entity: $0.1, contents: $0.2, rows: query.count(of: $0.0)) }
            + views.map {
                try ListedTable(
                    name: $0.name, entity: $0.entity, contents: $0.kind.contents,
                    rows: $0.kind.isCounted ? query.count(of: $0.name) : nil)
            }
        var output = Output()
        if json {
            output.line([
                "store": .text(options.path), "file": .text(file.path), "head": .number(file.checkpoint.rawValue),
                "tables": .array(tables.map(\.json)),
            ])
            return output.flush()
        }
        output.line("\(file.path): up to record \(file.checkpoint)")
        if log.baseline != .zero { output.line("what happened up to record \(log.baseline) was trimmed") }
        if file.epoch.start > max(log.baseline, 1) {
            output.line(
                "a migration, record \(file.epoch.start), began the terms of this model; 'firn sql --as-of "
                    + "\(file.epoch.start.rawValue - 1) …' shows the earlier ones")
        }
        let width = tables.map(\.name.count).max() ?? 0
        for table in tables { output.line(table.line(width)) }
        let store = options.store
        let entity = file.schema.logModel.entities.first?.name ?? "Book"
        output.line("")
        output.line("firn sql \(store) 'SELECT * FROM firn_changes ORDER BY record DESC LIMIT 20'")
        if let view = views.first(where: { $0.entity == entity && $0.kind == .history })?.name {
            output.line("sqlite3 -readonly -header \(file.path) 'SELECT * FROM \"\(view)\" WHERE object_key = 1'")
        }
        output.flush()
    }

    private func answer(_ sql: String, _ file: PastStates.HistoryFile) throws {
        var printer = TablePrinter(json ? .json : csv ? .csv : .table)
        do {
            try HistoryQuery(file.path).run(sql, columns: { printer.begin($0) }, row: { printer.add($0) })
        } catch let error as HistoryQueryError {
            printer.finish()
            throw Failure(Self.advice(error, file))
        }
        printer.finish()
        if printer.count == 0, !csv { Console.complain("note: no rows") }
    }

    /// What SQLite says, with the names that a person may have meant.
    private static func advice(_ error: HistoryQueryError, _ file: PastStates.HistoryFile) -> String {
        if error.isBusy { return "\(file.path): another program keeps it locked; try again" }
        let names = file.schema.layout.historyViews.map(\.name) + ["firn_records"]
        guard let name = error.message.firstMatch(of: /^no such table: (?:main\.)?(.+)$/)?.output.1 else {
            return error.message
        }
        return error.message + Suggestion.text(for: String(name), among: names)
    }
}

/// A table or view in the list of a history file.
private struct ListedTable {
    var name: String
    var entity: String?
    var contents: String
    /// Nil where counting would compare all versions.
    var rows: Int64?

    func line(_ width: Int) -> String {
        let name = Console.styled(Console.padded(name, width), .bold)
        let count = rows.map { "\($0)" } ?? ""
        return name + Console.padded(count, 10, right: true) + "  " + Console.styled(contents, .dim)
    }

    var json: JSON {
        .object(["name": .text(name), "entity": entity.map(JSON.text), "rows": rows.map(JSON.integer)])
    }
}

extension HistoryView.ViewKind {
    fileprivate var contents: String {
        switch self {
        case .history: "versions, from the record that made them to the one that ended them"
        case .now: "the present"
        case .changes: "changes of values, with the values before"
        case .objects: "objects, with their names"
        }
    }

    fileprivate var isCounted: Bool { self == .history || self == .now }
}

/// Where the history file of a store is made: next to it, or where nothing shall be written, in a temporary folder.
struct HistoryPlace {
    /// The path whose history file it is.
    let path: String
    private let folder: URL?

    var isKept: Bool { folder == nil }

    /// Shows on a terminal how far the file has come.
    static func progress() -> @Sendable (_ done: SequenceNumber, _ end: SequenceNumber) -> Void {
        let progress = Mutex(Progress("making the history: record"))
        return { done, end in
            progress.withLock { done < end ? $0.update(done.rawValue, of: end.rawValue) : $0.finish() }
        }
    }

    /// A log that has lost records does not bring the file next to the store to where it is.
    init(_ options: StoreOptions, _ log: SegmentLog) throws {
        if options.server == nil, options.lostRecords(of: log) == nil, PastFiles(of: options.path).areWritable {
            (path, folder) = (options.path, nil)
            return
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("firn-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        (path, self.folder) = (folder.appendingPathComponent("store.sqlite").path, folder)
    }

    func remove() {
        if let folder { try? FileManager.default.removeItem(at: folder) }
    }

    /// For verbs that read the file.
    static let help = "Reads STORE-history, which is made the first time; see 'firn help sql'."

    /// What a person makes of a history file that could not be made.
    static func failure(_ error: any Error, _ path: String) -> any Error {
        guard let condition = ProjectionError.historyCondition(error) else { return error }
        let file = PastFiles(of: path).path()
        switch condition {
        case .busy: return Failure("\(file): another program is writing it; try again")
        case .outOfSpace: return Failure("\(file): there is no space left for it; free some, and run this again")
        }
    }
}
