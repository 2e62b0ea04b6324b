internal import CSQLite

/// One prepared statement. Parameters count from 1 and columns from 0, as in SQLite.
///
/// Bindings survive a `reset()`. A statement may outlive its `Connection`: SQLite keeps the database open until the
/// statement is destroyed.
package final class Statement {
    let handle: OpaquePointer
    private let database: OpaquePointer
    /// Whether it is running, of a statement that the connection keeps for the next use.
    @exclusivity(unchecked) var isUsed = false

    init(_ sql: String, connection: OpaquePointer) throws {
        let (handle, tail) = try Self.compile(sql, connection)
        guard let handle else { fatalError("prepare a statement, not a comment: \(sql)") }
        guard tail.isEmpty else {
            fatalError("prepare one statement at a time: \(sql)")
        }
        self.handle = handle
        database = connection
    }

    /// A statement that a person wrote. Throws `SQLiteError` where it is none, or more than one.
    init(written sql: String, connection: OpaquePointer) throws {
        let (handle, tail) = try Self.compile(sql, connection)
        database = connection
        guard let handle else { throw SQLiteError(extendedCode: SQLITE_ERROR, message: "there is no statement") }
        self.handle = handle
        guard tail.allSatisfy({ $0.isWhitespace || $0 == ";" }) else {
            throw SQLiteError(extendedCode: SQLITE_ERROR, message: "there is more than one statement")
        }
    }

    /// The first statement of a text, if there is one, and what follows it.
    private static func compile(_ sql: String, _ connection: OpaquePointer) throws -> (OpaquePointer?, Substring) {
        var sql = sql
        var handle: OpaquePointer?
        var end = sql.utf8.count
        let result = sql.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { text in
                var tail: UnsafePointer<CChar>?
                let result = sqlite3_prepare_v3(
                    connection, text.baseAddress, Int32(text.count),
                    UInt32(SQLITE_PREPARE_PERSISTENT), &handle, &tail)
                if let tail, let start = text.baseAddress { end = tail - start }
                return result
            }
        }
        guard result == SQLITE_OK else {
            throw SQLiteError(result, database: connection, sql: sql)
        }
        return (handle, sql[sql.utf8.index(sql.startIndex, offsetBy: end)...])
    }

    deinit { sqlite3_finalize(handle) }

    /// The SQL as it was prepared.
    package var sql: String { String(cString: sqlite3_sql(handle)) }

    /// Whether running the statement writes nothing to the database.
    package var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

    /// Goes to the next row. False at the end; the statement can then be run again with the same bindings.
    package func step() throws -> Bool {
        let result = sqlite3_step(handle)
        if result == SQLITE_ROW { return true }
        if result == SQLITE_DONE { return false }
        throw failure(result)
    }

    /// Runs the statement to its end and resets it. Rows are discarded.
    package func run() throws {
        var result = sqlite3_step(handle)
        while result == SQLITE_ROW { result = sqlite3_step(handle) }
        guard result == SQLITE_DONE else { throw failure(result) }
        sqlite3_reset(handle)
    }

    /// Makes the statement ready to run again.
    package func reset() { sqlite3_reset(handle) }

    /// Sets all parameters to null.
    package func clearBindings() { sqlite3_clear_bindings(handle) }

    private func failure(_ result: Int32) -> SQLiteError {
        let error = SQLiteError(result, database: database, sql: sql)
        sqlite3_reset(handle)
        return error
    }

    func check(_ result: Int32) throws {
        guard result == SQLITE_OK else {
            throw SQLiteError(result, database: database, sql: sql)
        }
    }
}
