import Synchronization

/// What tests ask about the reads behind an access.
extension NSPersistentStoreCoordinator {
    /// How often the stores' tables were read so far: once for each statement that a fetch or a fault runs.
    package var readCount: Int {
        persistentStores.reduce(0) { $0 + (($1.backend as? StoreEngine)?.readCount.load(ordering: .relaxed) ?? 0) }
    }

    /// Empties the row caches, so that the next access has to read.
    package func forgetRows() {
        for store in persistentStores { store.backend?.rowCache.removeAll() }
    }
}
