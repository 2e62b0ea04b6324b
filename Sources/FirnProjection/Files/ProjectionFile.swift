package import FirnSQLite
internal import Foundation

/// The kind of file at a projection's path. Only the first bytes are read, so that a file that is not ours is never
/// opened for writing.
package enum ProjectionFile: Equatable {
    case missing
    /// It carries our mark.
    case ours
    /// A SQLite database without our mark.
    case otherDatabase

    /// The SQLite header: 16 bytes of magic, the application ID at 68
    /// (https://www.sqlite.org/fileformat2.html#the_database_header).
    private static let headerSize = 100
    private static let magic = Array("SQLite format 3\0".utf8)

    /// Throws `ProjectionError` for a folder, an unreadable file, or one that is no SQLite database.
    init(inspecting path: String) throws {
        var information = stat()
        guard stat(path, &information) == 0 else {
            if errno == ENOENT {
                try Self.refuseDanglingLink(path)
                self = .missing
                return
            }
            throw Self.unreadable(path, errno)
        }
        if information.st_mode & S_IFMT == S_IFDIR {
            throw ProjectionError(
                .unreadable, "this is a folder; give the path of the store's SQLite file",
                path: path)
        }
        guard access(path, R_OK) == 0 else { throw Self.unreadable(path, errno) }
        guard let header = try? Connection(.file(path), mode: .readOnly).firstBytes(Self.headerSize) else {
            throw Self.unreadable(path, EIO)
        }
        // SQLite makes an empty file before it writes the first page.
        if header.isEmpty { self = .missing; return }
        guard header.count == Self.headerSize, header.starts(with: Self.magic) else {
            throw ProjectionError(
                .notADatabase,
                "this is not a SQLite database, and nothing was written to it; \(Self.remedy(path))", path: path)
        }
        let id = header[68..<72].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        self = id == ProjectionFormat.applicationID ? .ours : .otherDatabase
    }

    private static func unreadable(_ path: String, _ code: Int32) -> ProjectionError {
        ProjectionError(
            .unreadable,
            "the file cannot be read: \(String(cString: strerror(code))); check its permissions "
                + "and those of its folder",
            path: path)
    }

    static func foreign(_ path: String) -> ProjectionError {
        ProjectionError(
            .foreign,
            "this SQLite database was not made by this library, and nothing was written to it; \(remedy(path))",
            path: path)
    }

    /// The remedy for a wrong file at the path of tables whose log exists.
    private static func remedy(_ path: String) -> String {
        "“firn rebuild \(path)” makes the tables from the log, and keeps this file under another name"
    }

    /// SQLite finds the tables damaged.
    static func damaged(_ path: String?, _ error: SQLiteError) -> ProjectionError {
        ProjectionError(
            .damaged,
            "the tables are damaged, the log is not: close the store, then “firn rebuild \(path ?? "STORE")” makes "
                + "them from the log", path: path, underlying: error)
    }

    /// The target of a link may be on a disk that is not mounted now, so no file is made at the link.
    private static func refuseDanglingLink(_ path: String) throws {
        var information = stat()
        // A file that is there by now was made by another process meanwhile.
        guard lstat(path, &information) == 0, information.st_mode & S_IFMT == S_IFLNK else { return }
        throw ProjectionError(
            .unreadable,
            "this is a link to a file that is not there; make its target available, or remove the link",
            path: path)
    }

    /// The file's identity on its disk: another number means that it was replaced.
    package static func identity(_ path: String) -> UInt64? {
        var information = stat()
        return stat(path, &information) == 0 ? UInt64(information.st_ino) : nil
    }
}

/// Reading tables in a folder where nothing can be written.
///
/// While a database with a write-ahead log is open, SQLite keeps two more files in its folder. Where it cannot make
/// them, it opens the database only as immutable. That is safe as long as there is no write-ahead log, because every
/// writer has one.
extension ProjectionFile {
    /// A connection that reads the file at `path`. Throws `SQLiteError` if the file cannot be read, or needs a
    /// write-ahead log that cannot be read here.
    package static func connectionForReading(_ path: String) throws -> Connection {
        try FolderLock.opening.held(for: path) { try connectionInLockedFolder(path) }
    }

    private static func connectionInLockedFolder(_ path: String) throws -> Connection {
        do {
            let connection = try Connection(.file(path), mode: .readOnly)
            try connection.openFiles()
            return connection
        } catch let error as SQLiteError where error.code == .cannotOpen || error.code == .readOnly {
            guard !hasWriteAheadLog(path) else { throw error }
            let connection = try Connection(.file(path), mode: .immutable)
            try connection.openFiles()
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
