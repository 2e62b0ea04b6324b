package import FirnLog
import Foundation

/// What happens when a store is opened whose tables were deleted and whose log is still there, as a store option:
/// `"rebuild"` (the default), `"startFresh"` or `"refuse"`. See `MissingTables`.
public let PersistentStoreMissingTablesOption = "PersistentStoreMissingTables"

/// What happens when a store is opened whose tables were deleted and whose log is still there.
///
/// Code that was written for Apple's stores deletes `Library.sqlite`, `-wal` and `-shm` to begin with an empty store.
/// Here the log, `Library.sqlite-log`, has all objects, and `destroyPersistentStore(at:type:options:)` deletes them.
public enum MissingTables: String, Sendable {
    /// The tables are built from the log, so that all objects are there again. Standard error says so.
    case rebuild
    /// The log is deleted too: the store is empty, and has no history.
    case startFresh
    /// The store is not opened: error 134080.
    case refuse
}

extension MissingTables {
    /// What a store's options ask for.
    package init(options: [AnyHashable: Any]?) {
        self = StoreOptions.missingTables.value(in: options) ?? .rebuild
    }

    /// Does it for the store at `path`, which is about to be opened for writing. Nothing happens if its tables are
    /// there, or if its log has no more than the record of its model.
    package func apply(to path: String, fileSystem: any FileSystem) throws {
        let files = StoreFiles(URL(fileURLWithPath: path), fileSystem: fileSystem)
        let directory = files.logDirectory
        guard !FileManager.default.fileExists(atPath: path), let head = Self.head(of: directory, fileSystem), head > 1
        else { return }
        let state = "the tables \(path) are gone, and their log \(directory) is there, with \(head) records"
        switch self {
        case .rebuild:
            let warning =
                "Firn: \(state): they are built again, with all objects that were saved. If the store was deleted on "
                + "purpose, delete \(directory) too. Call destroyPersistentStore(at:type:options:) instead of "
                + "deleting files, or set missingTables of the store's description to .startFresh.\n"
            FileHandle.standardError.write(Data(warning.utf8))
        case .startFresh: try files.empty(isForced: false)
        case .refuse:
            throw CoreDataError.make(
                .persistentStoreOpen,
                "\(state): delete \(directory) to begin with an empty store, or set missingTables of the store's "
                    + "description to .rebuild to have all objects again, or to .startFresh",
                [NSFilePathErrorKey: path])
        }
    }

    /// The last record of a log; nil if there is none, if it is a copy, or if it cannot be read, which opening reports.
    private static func head(of directory: String, _ fileSystem: any FileSystem) -> SequenceNumber? {
        guard (try? SegmentLog.exists(directory: directory, fileSystem: fileSystem)) == true,
            let log = try? SegmentLog.open(directory: directory, forWriting: false, fileSystem: fileSystem)
        else { return nil }
        defer { log.close() }
        return log.isCopy ? nil : log.head
    }
}
