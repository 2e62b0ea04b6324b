import Foundation

/// The action when a store is opened whose file was deleted and whose log is still there, as a store option:
/// `"startFresh"` (the default), `"rebuild"` or `"refuse"`. See `MissingTables`.
public let PersistentStoreMissingTablesOption = "PersistentStoreMissingTables"

/// The action when a store is opened whose file was deleted and whose log is still there.
///
/// A store is its file: code that was written for Apple's stores deletes `Library.sqlite`, `-wal` and `-shm` to begin
/// with an empty store. The log, `Library.sqlite-log`, has all objects all the same.
public enum MissingTables: String, Sendable {
    /// The store is new. The old log is kept under a name with the date, until another one is: standard error says
    /// which, and `firn restore` puts it back.
    case startFresh
    /// The tables are built from the log, so that all objects are there again.
    case rebuild
    /// The store is not opened: error 134080.
    case refuse
}

extension MissingTables {
    /// The values of a store's options.
    package init(options: [AnyHashable: Any]?) {
        self = StoreOptions.missingTables.value(in: options) ?? .startFresh
    }
}

/// The action when a store is opened whose file was moved or copied without its log, as a store option: `"adopt"`
/// (the default) or `"refuse"`. See `MissingLog`.
public let PersistentStoreMissingLogOption = "PersistentStoreMissingLog"

/// The action when a store is opened whose file was moved or copied without its log: a backup of one file, a store
/// that an application ships, or `FileManager`'s `moveItem` and `copyItem`.
///
/// It is also taken if another store's log is next to the file.
public enum MissingLog: String, Sendable {
    /// A new log begins with the rows of the file. The history stayed behind, and so did values in files of their own:
    /// standard error says so. A log of another store is set aside.
    case adopt
    /// The store is not opened: error 134080.
    case refuse
}

extension MissingLog {
    /// The values of a store's options.
    package init(options: [AnyHashable: Any]?) {
        self = StoreOptions.missingLog.value(in: options) ?? .adopt
    }
}
