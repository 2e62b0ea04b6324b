internal import CSQLite

extension Connection {
    /// Copies all pages of the database into that of `other`, which is replaced
    /// (https://www.sqlite.org/c3ref/backup_finish.html). Of a file in a transaction, what the transaction sees.
    ///
    /// Throws `SQLiteError`, and leaves `other` without a database, if the pages cannot be read, or if one of the two
    /// has an open write transaction. Complexity: O(pages).
    package func copyPages(to other: Connection) throws {
        guard let copying = sqlite3_backup_init(other.handle, "main", handle, "main") else {
            throw SQLiteError(sqlite3_extended_errcode(other.handle), database: other.handle, path: path)
        }
        let result = sqlite3_backup_step(copying, -1)
        sqlite3_backup_finish(copying)
        guard result == SQLITE_DONE else { throw SQLiteError(result, database: other.handle, path: path) }
    }
}
