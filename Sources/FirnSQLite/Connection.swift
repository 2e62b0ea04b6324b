internal import CSQLite

/// One connection to a SQLite database.
///
/// A connection is opened without SQLite's own mutex, so its owner must use it from one thread at a time. Only
/// `interrupt()` may be called from any thread.
package final class Connection {
    /// Where the database is.
    package enum Location: Hashable, Sendable {
        case file(String)
        case memory
        /// Private to the connection: in memory while it is small, and in a file without a name
        /// (https://www.sqlite.org/inmemorydb.html#temp_db). Gone with the connection.
        case temporary
    }

    /// The uses of the file that the connection allows.
    package enum Mode: Hashable, Sendable {
        case readOnly
        /// The file is treated as one that nobody changes: SQLite neither reads nor makes a journal
        /// (https://www.sqlite.org/uri.html#uriimmutable).
        case immutable
        /// The file must exist.
        case readWrite
        /// The file is made if it is missing.
        case create
    }

    /// How long a statement waits for another connection's lock, in milliseconds, unless another time is set.
    package static let busyTimeout: Int32 = 10_000

    package let location: Location
    package let mode: Mode
    let handle: OpaquePointer
    /// Prepared statements by their SQL.
    @exclusivity(unchecked) private var cached: [String: Statement] = [:]
    /// The statement that was used last. It is checked first, because the next use is mostly of the same one.
    @exclusivity(unchecked) private var last: (sql: String, statement: Statement)?
    /// The maximum count of cached statements; it bounds their memory.
    private let cachedCountMax = 256
    /// In bytes of SQL. Longer statements are rare, and are prepared each time.
    private let cachedSizeMax = 64 << 10
    /// The size of the write-ahead log in pages after this connection's last commit; 0 after a checkpoint.
    var walPageCount = 0
    /// The column counts for which `RowSource` functions are registered.
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
        // The last connection to a file locks it while it closes, and another one that opens it then has to wait.
        sqlite3_busy_timeout(handle, Self.busyTimeout)
        persistWAL()
        disableAutomaticCheckpoints()
        try ValueList.register(on: self)
    }

    /// The path as a URI. All bytes but letters, digits and `/` are escaped.
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
        discardStatements()
        // A statement that outlives the connection may still commit, and would call the hook.
        sqlite3_wal_hook(handle, nil, nil)
        // The last one to close empties the write-ahead log if it has a limit.
        sqlite3_exec(handle, "PRAGMA journal_size_limit = 0", nil, nil, nil)
        // If statements are still alive, SQLite closes the database with the last of them.
        sqlite3_close_v2(handle)
    }

    /// The path of the file; nil in memory.
    package var path: String? {
        if case .file(let path) = location { path } else { nil }
    }

    /// The write-ahead log and its index stay when the last connection closes. SQLite would remove them by their names,
    /// which another file's may have by then: it looks whether the file has moved before it has the lock.
    private func persistWAL() {
        var isKept: Int32 = 1
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &isKept)
    }

    /// Only `checkpointWAL()` checkpoints the write-ahead log. By default SQLite does it within a commit, once the log
    /// has 1,000 pages, while others may write (https://www.sqlite.org/c3ref/wal_hook.html).
    private func disableAutomaticCheckpoints() {
        sqlite3_wal_hook(
            handle,
            { context, _, _, count in
                guard let context else { return SQLITE_OK }
                Unmanaged<Connection>.fromOpaque(context)._withUnsafeGuaranteedRef {
                    $0.walPageCount = Int(count)
                }
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
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

    /// Prepares one statement that a person wrote. Throws `SQLiteError` for a text that is not one statement.
    package func prepare(written sql: String) throws -> Statement {
        try Statement(written: sql, connection: handle)
    }

    /// Runs `body` with a statement that is prepared once and cached for the next call with the same SQL.
    ///
    /// The statement is reset and its bindings cleared when `body` ends. A nested call with the same SQL gets a
    /// statement of its own.
    package func withStatement<R>(_ sql: String, _ body: (Statement) throws -> R) throws -> R {
        if let last, last.sql == sql { return try run(last.statement, sql, body) }
        if let found = cached[sql] {
            last = (sql, found)
            return try run(found, sql, body)
        }
        let prepared = try prepare(sql)
        if cached.count < cachedCountMax, sql.utf8.count <= cachedSizeMax { cached[sql] = prepared }
        return try run(prepared, sql, body)
    }

    private func run<R>(_ statement: Statement, _ sql: String, _ body: (Statement) throws -> R) throws -> R {
        if statement.isUsed { return try body(prepare(sql)) }
        statement.isUsed = true
        defer {
            statement.reset()
            statement.clearBindings()
            statement.isUsed = false
        }
        return try body(statement)
    }

    /// Discards the cached statements, for instance before a file is closed or its schema changed.
    package func discardStatements() {
        cached.removeAll()
        last = nil
    }

    /// Opens the file, its write-ahead log and the log's index, which SQLite does with the first statement.
    package func openFiles() throws { _ = try integer("PRAGMA schema_version") }

    /// How long a statement waits for another connection's lock before it fails with `busy`.
    package func setBusyTimeout(milliseconds: Int32) {
        sqlite3_busy_timeout(handle, milliseconds)
    }

    /// The first bytes of the file, as many as there are, read without a lock.
    ///
    /// SQLite itself reads them: to close a file that was opened by other means releases all locks of the process on it
    /// (https://www.sqlite.org/howtocorrupt.html, 2.2).
    package func firstBytes(_ count: Int) throws -> [UInt8] {
        guard let file = try file(), let methods = file.pointee.pMethods, let size = methods.pointee.xFileSize,
            let read = methods.pointee.xRead
        else { return [] }
        var fileSize: sqlite3_int64 = 0
        try check(size(file, &fileSize))
        var bytes = [UInt8](repeating: 0, count: min(count, Int(fileSize)))
        if bytes.isEmpty { return [] }
        try check(bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, Int32($0.count), 0) })
        return bytes
    }

    /// Returns when the bytes of the database's file are durable. SQLite itself syncs them, as it reads `firstBytes`.
    package func synchronize() throws {
        guard let file = try file(), let sync = file.pointee.pMethods?.pointee.xSync else { return }
        try check(sync(file, SQLITE_SYNC_NORMAL))
    }

    private func file() throws -> UnsafeMutablePointer<sqlite3_file>? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        try check(sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file))
        return file
    }

    /// Rows that the last INSERT, UPDATE or DELETE touched.
    package var changeCount: Int64 { sqlite3_changes64(handle) }

    /// Whether a transaction is open.
    package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Makes what runs now on this connection fail with `interrupted`. May be called from any thread while
    /// the connection is alive.
    package func interrupt() { sqlite3_interrupt(handle) }

    /// Throws unless `result` is SQLITE_OK.
    func check(_ result: Int32, sql: String? = nil) throws {
        guard result == SQLITE_OK else { throw SQLiteError(result, database: handle, sql: sql) }
    }
}
