import Foundation

/// How many bytes of rows a store keeps in memory for its contexts, as a store option: a number, 64 MB by default.
///
/// Objects that a context holds keep their rows beyond that. Fewer bytes mean that faults ask the tables more often.
public let PersistentStoreRowCacheSizeOption = "PersistentStoreRowCacheSize"

extension RowCache {
    /// The values of a store's options.
    package static func size(options: [AnyHashable: Any]?) -> Int {
        StoreOptions.rowCacheSize.value(in: options) ?? sizeDefault
    }
}
