import FirnStore

extension NSPersistentStore {
    /// A cache of the size that the options ask for.
    func makeRowCache() -> RowCache { RowCache(sizeMax: RowCache.size(options: options)) }
}

extension NSPersistentStore {
    /// Bytes of rows that the store keeps in memory now.
    package var rowCacheBytes: Int { cachedRows?.size ?? 0 }
}
