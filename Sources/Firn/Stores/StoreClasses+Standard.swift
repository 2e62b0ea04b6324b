import FirnStore

extension StoreClasses {
    /// The names of the classes that an application's own stores are subclasses of.
    static let bases = "NSIncrementalStore or NSAtomicStore"

    /// The kinds of stores that come with the package.
    static var standard: [String: NSPersistentStore.Type] {
        [
            NSSQLiteStoreType: LoggedStore.self, NSInMemoryStoreType: InMemoryStore.self,
            NSBinaryStoreType: BinaryStore.self,
        ]
    }
}

extension NSPersistentStore {
    /// The store, if it keeps a log of its own.
    var loggedStore: LoggedStore? {
        guard case let logged as LoggedStore = self else { return nil }
        return logged
    }
}

extension NSPersistentStoreCoordinator {
    static func register(_ storeClass: AnyClass?, _ type: String) {
        guard let storeClass else { return StoreClasses.register(nil, for: type) }
        guard let storeClass = storeClass as? NSPersistentStore.Type else {
            fatalError("a store class is a subclass of \(StoreClasses.bases), not \(storeClass)")
        }
        StoreClasses.register(storeClass, for: type)
    }
}
