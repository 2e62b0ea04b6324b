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
