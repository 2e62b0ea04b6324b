internal import FirnSQLite
internal import Foundation

/// Reading tables in a folder where nothing can be written.
///
/// While a database with a write-ahead log is open, SQLite keeps two more files in its folder. Where it cannot make
/// them, it opens the database only as immutable. That is safe as long as there is no write-ahead log, because every
/// writer has one.
extension ProjectionFile {
    /// A connection that reads the file at `path`. Throws `SQLiteError` if the file cannot be read, or needs a
    /// write-ahead log that cannot be read here.
    static func connectionForReading(_ path: String) throws -> Connection {
        do {
            let connection = try Connection(.file(path), mode: .readOnly)
            // SQLite opens the file with the first statement.
            _ = try connection.integer("PRAGMA schema_version")
            return connection
        } catch let error as SQLiteError where error.code == .cannotOpen || error.code == .readOnly {
            guard !hasWriteAheadLog(path) else { throw error }
            let connection = try Connection(.file(path), mode: .immutable)
            _ = try connection.integer("PRAGMA schema_version")
            return connection
        }
    }

    /// Whether somebody has the file open for writing, or ended without closing it.
    static func hasWriteAheadLog(_ path: String) -> Bool {
        var information = stat()
        return stat(path + "-wal", &information) == 0 && information.st_size > 0
    }

    /// Whether files can be made in the folder of `path`.
    package static func isFolderWritable(of path: String) -> Bool {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        return faccessat(AT_FDCWD, folder, W_OK, AT_EACCESS) == 0
    }
}
