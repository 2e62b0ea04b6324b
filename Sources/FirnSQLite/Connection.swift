internal import CSQLite

/// One connection to a SQLite database.
///
/// A connection is opened without SQLite's own mutex: whoever owns it uses it from one thread at a time.
/// Only `interrupt()` may be called from any thread.
package final class Connection {
    /// Where the database is.
    package enum Location: Hashable, Sendable {
        case file(String)
        case memory
        /// Nowhere for anybody else: in memory as long as it is small, and in a file without a name
        /// (https://www.sqlite.org/inmemorydb.html#temp_db). Gone with the connection.
        case temporary
    }

    /// What the connection may do with the file.
    package enum Mode: Hashable, Sendable {
        case readOnly
        /// The file is read as one that nobody changes: SQLite looks for no journal beside it and makes none
        /// (https://www.sqlite.org/uri.html#uriimmutable).
        case immutable
        /// The file must exist.
        case readWrite
        /// The file is made if it is missing.
        case create
    }

    /// How long a statement waits for another connection's lock, in milliseconds, unless another time is set.
    private static let busyTimeout: Int32 = 10_000

    package let location: Location
    package let mode: Mode
    let handle: OpaquePointer
    /// Statements that are prepared and kept, by their SQL.
    @exclusivity(unchecked) private var kept: [String: KeptStatement] = [:]
    /// The one that was asked for last, which mostly is the next too.
    @exclusivity(unchecked) private var last: (sql: String, statement: KeptStatement)?
    /// More different statements than this are not kept.
    private let keptCountMax = 256
    /// Statements of longer texts, in bytes, are prepared each time.
    private let keptSizeMax = 64 << 10
    /// How many pages the write-ahead log had after the last commit here since it was moved, if it is held.
    package private(set) var writeAheadPageCount = 0
    /// The widths for which `RowSource` has functions here.
    var rowSources: Set<Int> = []

    /// Throws `SQLiteError` if the file cannot be opened. SQLite reads nothing before the first statement:
    /// a file that is no database is noticed then.
    package init(_ location: Location, mode: Mode = .create) throws {
        self.location = location
        self.mode = mode
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        switch mode {
        case .readOnly: flags |= SQLITE_OPEN_READONLY
        case .immutable: flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
        case .readWrite: flags |= SQLITE_OPEN_READWRITE
        case .create: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        }
        let name: String
        switch location {
        case .memory: name = ":memory:"
        case .temporary: name = ""
        case .file(let path) where mode == .immutable: name = Self.immutableURI(path)
        // A relative path that looks like a URI or like a special name must stay a path.
        case .file(let path): name = path.hasPrefix("/") ? path : "./" + path
        }
        var handle: OpaquePointer?
        let result = sqlite3_open_v2(name, &handle, flags, nil)
        guard result == SQLITE_OK, let handle else {
            var path: String?
            if case .file(let file) = location { path = file }
            let error = SQLiteError(result, database: handle, path: path)
            sqlite3_close_v2(handle)
            throw error
        }
        self.handle = handle
        sqlite3_extended_result_codes(handle, 1)
        // The last connection to a file locks it while it closes: whoever opens it then has to wait.
        sqlite3_busy_timeout(handle, Self.busyTimeout)
        try ValueList.register(on: self)
    }

    /// Whatever is no letter, digit or `/` is escaped.
    private static func immutableURI(_ path: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var uri = Array("file:".utf8)
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"):
                uri.append(byte)
            default: uri += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: uri, as: UTF8.self) + "?immutable=1"
    }

    deinit {
        forgetStatements()
        // What outlives the connection may still commit.
        sqlite3_wal_hook(handle, nil, nil)
        // With statements still alive somewhere, SQLite closes when the last of them goes.
        sqlite3_close_v2(handle)
    }

    /// The path of the file; nil in memory.
    package var path: String? {
        if case .file(let path) = location { path } else { nil }
    }

    /// From now on nothing moves the write-ahead log into the file but `moveWriteAheadLog()`; SQLite would do so within
    /// a commit, once the log has 1,000 pages (https://www.sqlite.org/c3ref/wal_hook.html).
    package func holdWriteAheadLog() {
        sqlite3_wal_hook(
            handle,
            { context, _, _, count in
                guard let context else { return SQLITE_OK }
                Unmanaged<Connection>.fromOpaque(context)._withUnsafeGuaranteedRef {
                    $0.writeAheadPageCount = Int(count)
                }
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Moves what the write-ahead log holds into the file, as far as no reader and no writer is in the way
    /// (https://www.sqlite.org/c3ref/wal_checkpoint_v2.html).
    package func moveWriteAheadLog() throws {
        try check(sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil))
        writeAheadPageCount = 0
    }

    /// Runs one or several statements without parameters and without results.
    package func execute(_ sql: String) throws {
        let result = sqlite3_exec(handle, sql, nil, nil, nil)
        guard result == SQLITE_OK else { throw SQLiteError(result, database: handle, sql: sql) }
    }

    /// Prepares one statement for its owner to keep.
    package func prepare(_ sql: String) throws -> Statement {
        try Statement(sql, connection: handle)
    }

    /// Runs `body` with a statement that is prepared once and kept for the next call with the same SQL.
    ///
    /// The statement is reset and its bindings cleared when `body` ends. A nested call with the same SQL
    /// gets a statement of its own.
    package func withStatement<R>(_ sql: String, _ body: (Statement) throws -> R) throws -> R {
        if let last, last.sql == sql { return try run(last.statement, sql, body) }
        if let known = kept[sql] {
            last = (sql, known)
            return try run(known, sql, body)
        }
        let made = KeptStatement(try prepare(sql))
        if kept.count < keptCountMax, sql.utf8.count <= keptSizeMax { kept[sql] = made }
        return try run(made, sql, body)
    }

    private func run<R>(_ kept: KeptStatement, _ sql: String, _ body: (Statement) throws -> R) throws -> R {
        if kept.isUsed { return try body(prepare(sql)) }
        kept.isUsed = true
        defer {
            kept.statement.reset()
            kept.statement.clearBindings()
            kept.isUsed = false
        }
        return try body(kept.statement)
    }

    /// Forgets the kept statements, for instance before a file is closed or its schema changed.
    package func forgetStatements() {
        kept.removeAll()
        last = nil
    }

    /// How long a statement waits for another connection's lock before it fails with `busy`.
    package func setBusyTimeout(milliseconds: Int32) {
        sqlite3_busy_timeout(handle, milliseconds)
    }

    /// The first bytes of the file, as many as there are, read without a lock.
    ///
    /// A file that SQLite has open is never to be opened and closed by other means: closing it gives up the locks that
    /// the process has on it (https://www.sqlite.org/howtocorrupt.html, 2.2).
    package func firstBytes(_ count: Int) throws -> [UInt8] {
        var file: UnsafeMutablePointer<sqlite3_file>?
        try check(sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file))
        guard let file, let methods = file.pointee.pMethods, let size = methods.pointee.xFileSize,
            let read = methods.pointee.xRead
        else { return [] }
        var fileSize: sqlite3_int64 = 0
        try check(size(file, &fileSize))
        var bytes = [UInt8](repeating: 0, count: min(count, Int(fileSize)))
        if bytes.isEmpty { return [] }
        try check(bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, Int32($0.count), 0) })
        return bytes
    }

    /// Rows that the last INSERT, UPDATE or DELETE touched.
    package var changeCount: Int64 { sqlite3_changes64(handle) }

    package var lastInsertRowID: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Whether a transaction is open.
    package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Whether the file can only be read, be it by the mode or by the file's permissions.
    package var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

    /// Makes what runs now on this connection fail with `interrupted`. May be called from any thread while
    /// the connection is alive.
    package func interrupt() { sqlite3_interrupt(handle) }

    /// Throws unless `result` is SQLITE_OK.
    func check(_ result: Int32, sql: String? = nil) throws {
        guard result == SQLITE_OK else { throw SQLiteError(result, database: handle, sql: sql) }
    }
}

/// A statement that outlives its use.
private final class KeptStatement {
    let statement: Statement
    /// Whether somebody runs it now.
    @exclusivity(unchecked) var isUsed = false

    init(_ statement: Statement) { self.statement = statement }
}
