import Foundation

/// When the tables of a store's history are made, as a store option: `"onUse"` (the default), `"always"` or `"never"`.
/// See `HistoryTables`.
public let PersistentStoreHistoryTablesOption = "PersistentStoreHistoryTables"

/// When the tables of a store's history are made, which any SQLite program can read: `Library.sqlite-history`.
public enum HistoryTables: String, Sendable {
    /// When the past is first read, or `firn sql` is run. Later reads bring them up to date.
    case onUse
    /// When the store is opened, and after each save, by a thread of their own.
    case always
    /// Not next to the store. A program that reads the past makes them in a temporary file, which goes with it.
    case never
}

extension HistoryTables {
    /// The values of a store's options.
    package init(options: [AnyHashable: Any]?) { self = StoreOptions.historyTables.value(in: options) ?? .onUse }
}

/// The options of a store for its engine.
package struct EngineOptions: Sendable {
    /// How many bytes of rows are kept in memory.
    package var rowCacheSize = RowCache.sizeDefault
    package var historyTables = HistoryTables.onUse

    package init() {}

    /// The values of a store's options.
    package init(_ options: [AnyHashable: Any]?) {
        rowCacheSize = RowCache.size(options: options)
        historyTables = HistoryTables(options: options)
    }
}
