import Foundation

/// The action when a store is opened whose file was moved or copied without its log, as a store option: `"adopt"`
/// (the default) or `"refuse"`. See `MissingLog`.
public let PersistentStoreMissingLogOption = "PersistentStoreMissingLog"

/// The action when a store is opened whose file was moved or copied without its log: a backup of one file, a store
/// that an application ships, or `FileManager`'s `moveItem` and `copyItem`.
///
/// The same holds if another store's log is next to the file.
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
