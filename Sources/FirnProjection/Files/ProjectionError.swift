package import FirnLog
internal import FirnSQLite
public import Foundation

/// Why a projection cannot be opened, written or rebuilt.
public struct ProjectionError: LocalizedError, Sendable {
    /// The kind of error.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public var rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// The path is a folder, or cannot be opened or read.
        public static let unreadable = Code(rawValue: "unreadable")
        /// The file is not a SQLite database.
        public static let notADatabase = Code(rawValue: "notADatabase")
        /// The file is a SQLite database that something else made.
        public static let foreign = Code(rawValue: "foreign")
        /// The projection has applied more than the log holds: the log lost records.
        public static let aheadOfLog = Code(rawValue: "aheadOfLog")
        /// A record was applied out of order.
        public static let gap = Code(rawValue: "gap")
        /// A change set is in terms of a model that was not seen.
        public static let unknownModel = Code(rawValue: "unknownModel")
        /// A change set does not fit the rows: an update of a missing row, a link that is there already.
        public static let inconsistent = Code(rawValue: "inconsistent")
        /// Another store's file took the place of this one's since it was opened.
        public static let replaced = Code(rawValue: "replaced")
        /// A record migrates the store to a model that is not the one in use.
        public static let migrated = Code(rawValue: "migrated")
        /// Two rows have the values that a uniqueness constraint of the new model allows once.
        public static let constraint = Code(rawValue: "constraint")
        /// The rows cannot become rows of the new model.
        public static let migration = Code(rawValue: "migration")
        /// All primary keys of an entity are assigned, so that no object of it can be inserted.
        public static let noKeysLeft = Code(rawValue: "noKeysLeft")
        /// SQLite finds the tables' file damaged. The log is not.
        public static let damaged = Code(rawValue: "damaged")
        /// The model cannot be laid out in tables.
        public static let model = Code(rawValue: "model")
    }

    public var code: Code
    /// The sentence that says what went wrong and what to do.
    public var message: String
    public var path: String?
    public var underlying: (any Error)?

    public init(
        _ code: Code, _ message: String, path: String? = nil, underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.path = path
        self.underlying = underlying
    }
}

extension ProjectionError: CustomStringConvertible {
    /// One line.
    public var description: String {
        var line = message
        if let path { line = "\(path): \(line)" }
        if let underlying { line += " (\(underlying))" }
        return line
    }

    public var errorDescription: String? { description }
}

/// Where a projection is.
package enum ProjectionLocation: Hashable, Sendable {
    case file(String)
    case memory
    /// In a file without a name in the folder for temporary files, which is removed with the projection. For tables
    /// that are too large for memory.
    case temporary

    package var path: String? {
        if case .file(let path) = self { path } else { nil }
    }

    var connectionLocation: Connection.Location {
        switch self {
        case .file(let path): .file(path)
        case .memory: .memory
        case .temporary: .temporary
        }
    }
}

/// The state of a projection when it was opened.
package enum ProjectionState: Hashable, Sendable {
    /// The projection holds all that the log holds.
    case ready
    /// The records after the checkpoint are still to be applied.
    case behind
    /// The projection cannot be used before it is rebuilt. Nothing was changed.
    case mustRebuild(RebuildReason)
}

/// Why a projection must be rebuilt.
package enum RebuildReason: Hashable, Sendable {
    /// There is no file, or a rebuild or first opening was not completed.
    case missing
    case otherFormat(Int64)
    case otherStore(String)
    /// The tables are those of another model.
    case otherModel
    /// SQLite cannot read a file that carries our mark.
    case damaged(String)
    /// The power failed before the log was synced, so the log has lost records that the projection holds.
    case unsyncedRecordsLost(after: SequenceNumber)
    /// Records that it has not applied were cut off the log.
    case trimmed
}

extension RebuildReason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .missing: "there is no projection yet"
        case .otherFormat(let format): "it has format \(format), not \(ProjectionFormat.version)"
        case .otherStore(let store): "it belongs to store \(store)"
        case .otherModel: "its tables are those of another model"
        case .damaged(let message): "it is damaged: \(message)"
        case .trimmed: "records that it has not applied were cut off the log"
        case .unsyncedRecordsLost(let durable):
            "it holds records after \(durable) that were not durable and went with the power"
        }
    }
}
