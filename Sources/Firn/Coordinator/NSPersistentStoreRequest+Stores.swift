public import FirnModel

extension NSPersistentStoreRequest {
    /// The stores to ask; nil for all of the coordinator's.
    public var affectedStores: [NSPersistentStore]? {
        get { affectedStoreObjects?.compactMap { $0 as? NSPersistentStore } }
        set { affectedStoreObjects = newValue }
    }
}
