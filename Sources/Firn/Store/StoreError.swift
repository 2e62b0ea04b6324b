import FirnLog
import FirnProjection
import FirnSQLite
import Foundation

/// Errors of the rooms below, as Core Data's: the same words, with a code, the path and the original.
enum StoreError {
    /// What kept a store from being opened.
    static func opening(_ error: any Error, path: String) -> NSError {
        cocoa(error, .persistentStoreOpen, path, "cannot open the store \(path): ")
    }

    /// What kept changes from being saved.
    static func saving(_ error: any Error, path: String) -> NSError {
        cocoa(error, .persistentStoreSave, path, "cannot save to \(path): ")
    }

    private static func migrationCode(_ error: ProjectionError) -> CocoaError.Code? {
        switch error.code {
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
                [NSFilePathErrorKey: error.path ?? path], underlying: error)
        case let error as ProjectionError:
            return CoreDataError.make(
                migrationCode(error) ?? code, error.description, [NSFilePathErrorKey: path], underlying: error)
        case let error as SQLiteError:
            let remedy = error.code == .full ? "; free some space and try again" : ""
            return CoreDataError.make(
                code, prefix + "\(error)" + remedy,
                [NSFilePathErrorKey: path, NSSQLiteErrorDomain: error.code.rawValue], underlying: error)
        default:
            // What Core Data, a merge policy or the application threw goes out as it is.
            return error as NSError
        }
    }
}
