import SystemSQLite

/// SQLite's C interface with its statuses checked: what every other side is compared with.
/// https://sqlite.org/cintro.html
final class RawDatabase {
    let handle: OpaquePointer

    /// `synchronous` as in https://sqlite.org/pragma.html#pragma_synchronous; the journal is a write-ahead log.
    init(_ path: String, synchronous: String = "FULL") throws {
        var opened: OpaquePointer?
        let status = sqlite3_open(path, &opened)
        guard let opened, status == SQLITE_OK else { throw RawError(status: status, text: path) }
        handle = opened
        try execute("PRAGMA journal_mode = WAL")
        try execute("PRAGMA synchronous = \(synchronous)")
    }

    deinit { sqlite3_close_v2(handle) }

    func execute(_ sql: String) throws {
        try check(sqlite3_exec(handle, sql, nil, nil, nil))
    }

    func prepare(_ sql: String) throws -> RawStatement {
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
        guard let statement else { throw RawError(status: SQLITE_MISUSE, text: sql) }
        return RawStatement(statement)
    }

    func transaction(_ body: () throws -> Void) throws {
        try execute("BEGIN IMMEDIATE")
        try body()
        try execute("COMMIT")
    }

    private func check(_ status: Int32) throws {
        guard status == SQLITE_OK else {
            throw RawError(status: status, text: String(cString: sqlite3_errmsg(handle)))
        }
    }
}

/// A prepared statement. https://sqlite.org/c3ref/stmt.html
final class RawStatement {
    let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { sqlite3_finalize(handle) }

    @inline(__always) func bind(_ value: Int64, _ index: Int32) { sqlite3_bind_int64(handle, index, value) }
    @inline(__always) func bind(_ value: Double, _ index: Int32) { sqlite3_bind_double(handle, index, value) }
    @inline(__always) func bind(_ value: String, _ index: Int32) {
        var text = value
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                _ = sqlite3_bind_text(handle, index, $0.baseAddress, Int32($0.count), transient)
            }
        }
    }
    @inline(__always) func bind(_ value: [UInt8], _ index: Int32) {
        _ = value.withUnsafeBytes {
            sqlite3_bind_blob(handle, index, $0.baseAddress, Int32($0.count), transient)
        }
    }
    @inline(__always) func bindNull(_ index: Int32) { sqlite3_bind_null(handle, index) }

    /// Runs a statement that gives no rows, and makes it ready for the next.
    @inline(__always) func run() throws {
        let status = sqlite3_step(handle)
        sqlite3_reset(handle)
        guard status == SQLITE_DONE else { throw RawError(status: status, text: "step") }
    }

    /// Whether there is another row.
    @inline(__always) func step() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let status: throw RawError(status: status, text: "step")
        }
    }

    @inline(__always) func reset() { sqlite3_reset(handle) }
    @inline(__always) func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
    @inline(__always) func real(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }
    @inline(__always) func text(_ column: Int32) -> String {
        guard let bytes = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }
    @inline(__always) func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    private var transient: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}

struct RawError: Error, CustomStringConvertible {
    let status: Int32
    let text: String

    var description: String { "SQLite: \(text) (\(status))" }
}
