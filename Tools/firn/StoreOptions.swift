import ArgumentParser
import FirnInspection
import FirnLog
import FirnPostgres
import FirnProjection
import Foundation

/// The store that a command is about.
struct StoreOptions: ParsableArguments {
    @Argument(
        help: "The path of the store, for example Library.sqlite, or its address on a server.", completion: .file())
    var store: String

    private static let suffix = "-log"

    /// The path of the tables. The log's folder stands for its store.
    var path: String { Self.path(ofStore: store) }

    /// The path of the tables of a store that a person names by them or by the log's folder.
    static func path(ofStore store: String) -> String {
        if let address = PostgresAddress(store) { return address.description }
        var path = store
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path.hasSuffix(suffix) ? String(path.dropLast(suffix.count)) : path
    }

    var logDirectory: String { path + Self.suffix }

    /// Where the store's log is, if it is named by its address on a server.
    var server: PostgresAddress? { PostgresAddress(store) }

    /// What opening does about a log that has lost records which the store's tables hold.
    enum LossRule {
        /// Says so on standard error.
        case report
        case refuse
        /// Leaves it to the caller.
        case accept
    }

    /// The store's log, to be read; a copy of it, if a server has it. Nothing is changed.
    ///
    /// - Parameter checksDurable: whether the contents are checked that the tables say were durable.
    func openLog(_ rule: LossRule = .report, checksDurable: Bool = true) throws -> SegmentLog {
        if let server { return try ServerCopy(server).log }
        try checkThere()
        let mark = ProjectionMark(path: path)
        let checked = checksDurable ? .zero : mark?.durable ?? .zero
        let log = try SegmentLog.open(directory: logDirectory, forWriting: false, checked: checked)
        guard rule != .accept, let lost = LostRecords(mark, log) else { return log }
        let message = "\(path): \(lost). \(LostRecords.remedy(path))"
        if rule == .refuse { throw Failure(message, status: .damage) }
        Console.complain(message)
        return log
    }

    /// Calls `body` with the store's history: in its file next to the store, or where nothing can be written there, in
    /// one without a name. So it is if the log has lost records: the file next to the store may have what they did.
    func withHistory<R>(of log: SegmentLog, _ body: (PastStates) throws -> R) throws -> R {
        do {
            let isKept = server == nil && lostRecords(of: log) == nil
            let location = isKept ? ProjectionLocation.file(path) : .temporary
            return try body(PastStates(log, location, progress: HistoryPlace.progress()))
        } catch {
            throw HistoryPlace.failure(error, path)
        }
    }

    /// The records that the store's log has lost and its tables hold; nil if there are none.
    func lostRecords(of log: SegmentLog) -> LostRecords? {
        server == nil ? LostRecords(ProjectionMark(path: path), log) : nil
    }

    /// The store's log, to be written. Throws if it ends before a record that the tables say was durable.
    func openLogForWriting(_ options: LogOptions = LogOptions()) throws -> SegmentLog {
        try openLog(.refuse).close()
        let durable = ProjectionMark.durable(path: path, logDirectory: logDirectory)
        return try SegmentLog.open(directory: logDirectory, forWriting: true, atLeast: durable, options: options)
    }

    /// Throws what a person can make use of where there is no store.
    func checkThere() throws {
        if server != nil {
            throw Failure("\(path): this needs a store's files; make them with firn pull, and name those")
        }
        if path.isEmpty { throw Failure("a store's name is empty; name a file or an address") }
        if try SegmentLog.exists(directory: logDirectory) { return }
        let manager = FileManager.default
        if manager.fileExists(atPath: logDirectory) {
            throw Failure(
                "\(logDirectory): no log of a store is in there; name the store that a program wrote"
            )
        }
        if DetachedTables(path: path) != nil {
            throw Failure(
                "\(path): its log is not next to it (\(logDirectory)): put the log back, or open the file with a "
                    + "program once, which begins a new log with its rows")
        }
        var isFolder: ObjCBool = false
        if manager.fileExists(atPath: path, isDirectory: &isFolder) {
            if isFolder.boolValue {
                throw Failure("\(path): this is a folder; name the store in it, for example Library.sqlite")
            }
            throw Failure(
                "\(path): there is no log next to it (\(logDirectory)), so it is not a store of Firn; "
                    + "put the log back, or name another file")
        }
        throw Failure(
            "\(path): no such store; name the file that a program wrote, for example Library.sqlite"
        )
    }
}
