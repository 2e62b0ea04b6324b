public import FirnLog
import FirnProjection
import FirnSQLite
public import Foundation

extension NSError {
    /// The log's own error below one of Core Data's, whose code tells more; nil if it was not the log that failed.
    /// Ours, not Apple's.
    public var logError: LogError? { userInfo[LogError.userInfoKey] as? LogError }
}

extension LogError {
    /// Linux's `NSError` of an error of Swift's does not lead back to it.
    fileprivate static let userInfoKey = "LogError"
}

/// Errors of the rooms below, as Core Data's: the same words, with a code, the path and the original.
package enum StoreError {
    /// The error for a store that could not be opened.
    package static func opening(_ error: any Error, path: String) -> NSError {
        cocoa(error, .persistentStoreOpen, path, "cannot open the store \(path): ")
    }

    /// The error for changes that could not be saved. Errors of Core Data, a merge policy or the application go out as
    /// they are.
    package static func saving(_ error: any Error, path: String) -> any Error {
        switch error {
        case is LogError, is ProjectionError, is SQLiteError:
            cocoa(error, .persistentStoreSave, path, "cannot save to \(path): ")
        default: error
        }
    }

    /// The error for something that could not be read. Errors of Core Data or the application go out as they are.
    package static func reading(_ error: any Error, path: String?) -> any Error {
        switch error {
        case let error as ProjectionError where error.code == .damaged:
            cocoa(error, .fileReadCorruptFile, path ?? "", "cannot read the store: ")
        case let error as SQLiteError where error.isDamage:
            cocoa(error, .fileReadCorruptFile, path ?? "", "cannot read the store: ")
        case let error as ProjectionError where error.code == .replaced:
            cocoa(error, .fileReadNoSuchFile, path ?? "", "cannot read the store: ")
        case let error as SQLiteError
        where error.isOfRemovedFile && !FileManager.default.fileExists(atPath: path ?? ""):
            cocoa(
                error, .fileReadNoSuchFile, path ?? "",
                "cannot read the store, whose file was removed or moved since it was opened; close the store, then put "
                    + "the file back, or let “firn rebuild \(path ?? "STORE")” make it from the log: ")
        default: error
        }
    }

    /// The error for a state of before that could not be read: its record may have been cut off since.
    package static func readingPast(_ error: any Error, path: String?) -> any Error {
        guard let error = error as? LogError, error.code == .missing else { return reading(error, path: path) }
        return cocoa(error, .persistentHistoryTokenExpired, path ?? "", "")
    }

    private static func code(of error: ProjectionError) -> CocoaError.Code? {
        switch error.code {
        case .damaged: .fileReadCorruptFile
        case .migration: .migration
        case .constraint: .migrationConstraintViolation
        case .migrated: .persistentStoreIncompatibleVersionHash
        default: nil
        }
    }

    private static func cocoa(
        _ error: any Error, _ code: CocoaError.Code, _ path: String, _ prefix: String
    ) -> NSError {
        switch error {
        case let error as LogError:
            return CoreDataError.make(
                error.code == .locked ? .persistentStoreTimeout : code, error.description,
                [NSFilePathErrorKey: error.path ?? path, LogError.userInfoKey: error], underlying: error)
        case let error as ProjectionError:
            return CoreDataError.make(
                self.code(of: error) ?? code, error.description, [NSFilePathErrorKey: path], underlying: error)
        case let error as SQLiteError:
            let remedy =
                error.isOutOfSpace
                ? "; free some space and try again"
                : error.isDamage ? "; the tables are damaged, the log is not: “firn rebuild \(path)” makes them" : ""
            return CoreDataError.make(
                error.isDamage ? .fileReadCorruptFile : code, prefix + "\(error)" + remedy,
                [NSFilePathErrorKey: path, NSSQLiteErrorDomain: error.code.rawValue], underlying: error)
        default:
            return error as NSError
        }
    }
}

// Errors of the log, which does without Foundation, say what they are to those who ask for a localized description.

extension LogError: LocalizedError {
    public var errorDescription: String? { description }
}

extension FileError: LocalizedError {
    public var errorDescription: String? { description }
}

extension SignedCheckpoint.Failure: LocalizedError {
    public var errorDescription: String? { description }
}
