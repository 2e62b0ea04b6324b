import Foundation

/// How many bytes of rows a store keeps in memory for its contexts, as a store option: a number, 64 MB by default.
///
/// Objects that a context holds keep their rows beyond that. Fewer bytes mean that faults ask the tables more often.
public let PersistentStoreRowCacheSizeOption = "PersistentStoreRowCacheSize"

extension NSPersistentStoreDescription {
    /// How many bytes of rows the store keeps in memory for its contexts. Ours, not Apple's.
    public var rowCacheSize: Int {
        get { RowCache.size(options: options) }
        set { setOption(NSNumber(value: newValue), forKey: PersistentStoreRowCacheSizeOption) }
    }
}

extension RowCache {
    /// What a store's options ask for.
    static func size(options: [AnyHashable: Any]?) -> Int {
        (options?[PersistentStoreRowCacheSizeOption] as? NSNumber)?.intValue ?? sizeDefault
    }
}

extension NSPersistentStore {
    /// A cache of the size that the options ask for.
    func makeRowCache() -> RowCache { RowCache(sizeMax: RowCache.size(options: options)) }
}

extension NSPersistentStore {
    /// Bytes of rows that the store keeps in memory now.
    package var rowCacheBytes: Int { cachedRows?.size ?? 0 }
}
