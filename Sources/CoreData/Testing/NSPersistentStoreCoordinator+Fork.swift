import FirnModel
import FirnStore
import Foundation

/// Copies of open stores in memory: a fixture is made once, and each test gets a store of its own. Ours, not Apple's.
extension NSPersistentStoreCoordinator {
    /// A coordinator whose stores are copies in memory of this one's, as they are now; see
    /// `NSPersistentContainer.fork()`.
    public func fork() throws -> NSPersistentStoreCoordinator {
        let fork = NSPersistentStoreCoordinator(managedObjectModel: managedObjectModel)
        try fork.addForks(of: self)
        return fork
    }

    /// Adds a copy of each store of `source`, which has the same model. Returns descriptions of the copies. Throws
    /// without having added any if a store keeps no log.
    @discardableResult
    package func addForks(of source: NSPersistentStoreCoordinator) throws -> [NSPersistentStoreDescription] {
        let stores = source.persistentStores
        let engines = try stores.map { store in
            if let engine = store.historyEngine { return engine }
            throw CoreDataError.make(
                .persistentStoreUnsupportedRequestType,
                "the store \(store.placeName) cannot be forked, as a store of the type \(store.type) keeps no log: "
                    + "migrate it to a store in memory first, with migratePersistentStore(_:to:options:type:)",
                [NSAffectedStoresErrorKey: [store]])
        }
        defer { ForkObserver.current?(self) }
        return try zip(stores, engines).map { store, engine in
            let isInMemory = store.type == NSInMemoryStoreType
            let files = try engine.fork(isShared: !isInMemory)
            let description = store.forkDescription(NullDevice.register(files))
            try withExtendedLifetime(files) {
                _ = try addPersistentStore(
                    ofType: description.type, configurationName: description.configuration, at: description.url,
                    options: description.options)
            }
            return description
        }
    }
}

extension NSPersistentStore {
    /// The description of a copy of the store at `url`: with its options, but for those that are about a file.
    fileprivate func forkDescription(_ url: URL) -> NSPersistentStoreDescription {
        let description = NSPersistentStoreDescription(url: url)
        description.type = type
        description.configuration = configurationName
        for (key, value) in options ?? [:] {
            guard let key = key as? String, !StoreOptions.aboutFiles.contains(key) else { continue }
            description.setOption(value as? NSObject, forKey: key)
        }
        return description
    }
}

/// Hears of coordinators with forks that are made within a task: a test's trait, which shows what was saved into them.
package enum ForkObserver {
    @TaskLocal package static var current: (@Sendable (NSPersistentStoreCoordinator) -> Void)?
}
