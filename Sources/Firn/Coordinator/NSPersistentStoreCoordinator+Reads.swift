import FirnStore

/// Counters by which tests see the reads behind an access.
extension NSPersistentStoreCoordinator {
    /// How often the stores' tables were read so far: once for each statement that a fetch or a fault runs.
    package var readCount: Int {
        persistentStores.reduce(0) { $0 + ($1.backend?.engine?.readCount ?? 0) }
    }

    /// Empties the row caches, so that the next access has to read.
    package func evictRows() {
        for store in persistentStores { store.backend?.rowCache.removeAll() }
    }
}
