public import FirnLog
public import Foundation

extension NSPersistentStoreDescription {
    /// The failures that a save survives once it has returned. Ours, not Apple's.
    public var durability: Durability {
        get { Durability(options: options) }
        set { setOption(newValue.option as NSString, forKey: PersistentStoreDurabilityOption) }
    }
}

extension NSPersistentStoreDescription {
    /// Is told how far the opening of the store has come. Ours, not Apple's.
    public var openingProgress: OpeningProgress? {
        get { StoreOptions.openingProgress.value(in: options) }
        set { setOption(newValue, forKey: PersistentStoreOpeningProgressOption) }
    }
}

extension NSPersistentStoreDescription {
    /// How many bytes of rows the store keeps in memory for its contexts. Ours, not Apple's.
    public var rowCacheSize: Int {
        get { RowCache.size(options: options) }
        set { setOption(NSNumber(value: newValue), forKey: PersistentStoreRowCacheSizeOption) }
    }
}

extension NSPersistentStoreDescription {
    /// The action when the store's file was deleted and its log is still there. Ours, not Apple's.
    public var missingTables: MissingTables {
        get { MissingTables(options: options) }
        set { setOption(newValue.rawValue as NSString, forKey: PersistentStoreMissingTablesOption) }
    }

    /// The way to open a store's file that was moved or copied without its log. Ours, not Apple's.
    public var missingLog: MissingLog {
        get { MissingLog(options: options) }
        set { setOption(newValue.rawValue as NSString, forKey: PersistentStoreMissingLogOption) }
    }
}

extension NSPersistentStoreDescription {
    /// When the tables of the store's history are made. Ours, not Apple's.
    public var historyTables: HistoryTables {
        get { HistoryTables(options: options) }
        set { setOption(newValue.rawValue as NSString, forKey: PersistentStoreHistoryTablesOption) }
    }
}

/// Is told how far the opening of a store has come: an `OpeningProgress`.
public let PersistentStoreOpeningProgressOption = "PersistentStoreOpeningProgress"

/// Hears how far the opening of a store has come, which takes long when a machine brings the records of a shared log
/// for the first time, or tables are built from a large log. Ours, not Apple's.
public final class OpeningProgress: NSObject, Sendable {
    private let report: @Sendable (Double) -> Void

    /// - Parameter report: called with what is done of the present step, from 0 to 1, on the thread that opens the
    ///   store. Bringing records is one step, building tables another.
    public init(_ report: @escaping @Sendable (_ fraction: Double) -> Void) { self.report = report }

    /// The observer in the options of a store.
    package static func of(_ options: [AnyHashable: Any]?) -> (@Sendable (Double) -> Void)? {
        StoreOptions.openingProgress.value(in: options)?.report
    }
}
