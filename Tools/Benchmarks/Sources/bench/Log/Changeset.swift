import SystemSQLite
import SystemZstd

/// What SQLite's session extension records: https://sqlite.org/sessionintro.html
enum Changeset {
    /// The bytes of the changeset of a transaction, compressed.
    static func size(of tables: [String], in database: RawDatabase, _ transaction: () throws -> Void) throws -> Int {
        var session: OpaquePointer?
        guard sqlite3session_create(database.handle, "main", &session) == SQLITE_OK,
            tables.allSatisfy({ sqlite3session_attach(session, $0) == SQLITE_OK })
        else { throw RawError(status: SQLITE_ERROR, text: "no session") }
        defer { sqlite3session_delete(session) }
        try transaction()
        var count: Int32 = 0
        var bytes: UnsafeMutableRawPointer?
        guard sqlite3session_changeset(session, &count, &bytes) == SQLITE_OK else {
            throw RawError(status: SQLITE_ERROR, text: "no changeset")
        }
        defer { sqlite3_free(bytes) }
        var compressed = [UInt8](repeating: 0, count: ZSTD_compressBound(Int(count)))
        return ZSTD_compress(&compressed, compressed.count, bytes, Int(count), 3)
    }
}
