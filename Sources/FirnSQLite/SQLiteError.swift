internal import CSQLite
public import Foundation

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// An error of SQLite, with the statement and the file.
///
/// `code` is SQLite's primary result code and `extendedCode` its detail (https://www.sqlite.org/rescode.html).
public struct SQLiteError: LocalizedError, Hashable, Sendable {
    /// SQLite's primary result codes that callers handle. Any other code is possible too.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public var rawValue: Int32

        public init(rawValue: Int32) { self.rawValue = rawValue }

        public static let error = Code(rawValue: 1)
        public static let permission = Code(rawValue: 3)
        public static let busy = Code(rawValue: 5)
        public static let locked = Code(rawValue: 6)
        public static let readOnly = Code(rawValue: 8)
        public static let interrupted = Code(rawValue: 9)
        public static let inputOutput = Code(rawValue: 10)
        public static let corrupt = Code(rawValue: 11)
        public static let full = Code(rawValue: 13)
        public static let cannotOpen = Code(rawValue: 14)
        public static let constraint = Code(rawValue: 19)
        public static let misuse = Code(rawValue: 21)
        public static let range = Code(rawValue: 25)
        public static let notADatabase = Code(rawValue: 26)
    }

    public var code: Code
    public var extendedCode: Int32
    /// SQLite's own message.
    public var message: String
    /// The statement that failed, if one was being prepared or run.
    public var sql: String?
    /// The file of the connection; nil for a database in memory.
    public var path: String?
    /// The operating system's error number, where it refused something; else 0.
    public var systemError: Int32 = 0

    /// Whether the file is damaged.
    package var isDamage: Bool { code == .corrupt || code == .notADatabase }

    /// Whether another process may have removed the file while it was being written.
    package var isOfRemovedFile: Bool { [.inputOutput, .readOnly, .cannotOpen].contains(code) && !isOutOfSpace }

    /// Whether there is no space left on the disk, or in the quota.
    package var isOutOfSpace: Bool { code == .full || systemError == ENOSPC || systemError == EDQUOT }

    public init(
        extendedCode: Int32, message: String, sql: String? = nil, path: String? = nil
    ) {
        self.code = Code(rawValue: extendedCode & 0xff)
        self.extendedCode = extendedCode
        self.message = message
        self.sql = sql
        self.path = path
    }

    /// The error that `database` holds now for the call that just failed with `result`.
    init(_ result: Int32, database: OpaquePointer?, sql: String? = nil, path: String? = nil) {
        var extended = result
        var message = String(cString: sqlite3_errstr(result))
        if let database {
            let last = sqlite3_extended_errcode(database)
            // The handle stores its last error. Its message is used only if the codes agree.
            if last & 0xff == result & 0xff {
                extended = last
                message = String(cString: sqlite3_errmsg(database))
            }
        }
        self.init(
            extendedCode: extended, message: message, sql: sql,
            path: path ?? database.flatMap(databasePath))
        // Only these codes come from the operating system. For others SQLite still returns the number of an earlier
        // error.
        if let database, code == .inputOutput || code == .cannotOpen || code == .full {
            systemError = sqlite3_system_errno(database)
        }
    }
}

extension SQLiteError: CustomStringConvertible {
    /// One line: what, code, place, statement.
    public var description: String {
        var line = "SQLite: \(message) (code \(extendedCode))"
        if isOutOfSpace { line += ", as there is no space left" }
        if let path { line += " in \(path)" }
        if let sql {
            let short = sql.count > 300 ? sql.prefix(300) + "…" : sql[...]
            line += " while running: \(short)"
        }
        return line
    }

    public var errorDescription: String? { description }
}

/// The file behind the main database of a connection; nil in memory.
func databasePath(_ database: OpaquePointer) -> String? {
    guard let name = sqlite3_db_filename(database, "main"), name.pointee != 0 else { return nil }
    return String(cString: name)
}
