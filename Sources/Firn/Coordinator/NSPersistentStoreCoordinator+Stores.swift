import FirnLog
public import FirnModel
import FirnProjection
import FirnRuntime
import FirnStore
import Foundation

extension NSPersistentStoreCoordinator {
    /// The stores that hold the request's entity, of those that it names, if it names any.
    func stores(for request: StoreRequest) -> [NSPersistentStore] {
        let (stores, affected) = (persistentStores, request.affectedStores)
        func isAsked(_ store: NSPersistentStore) -> Bool {
            (affected?.contains { $0 === store } ?? true) && store.schema?.contains(request.entity) ?? false
        }
        return stores.allSatisfy(isAsked) ? stores : stores.filter(isAsked)
    }
}

/// From URIs to object IDs.
extension NSPersistentStoreCoordinator {
    func id(for url: URL) -> NSManagedObjectID? {
        guard url.scheme == "x-coredata", let host = url.host?.uppercased(),
            let store = persistentStores.first(where: { $0.identifier.uppercased() == host }),
            url.pathComponents.count == 3, url.pathComponents[2].hasPrefix("p"),
            let entity = managedObjectModel.entitiesByName[url.pathComponents[1]],
            store.schema?.contains(entity) ?? false
        else { return nil }
        return store.objectID(for: entity, text: String(url.pathComponents[2].dropFirst()))
    }

    /// The ID whose URI reads like this.
    public func managedObjectID(for string: String) -> NSManagedObjectID? {
        URL(string: string).flatMap(managedObjectID(forURIRepresentation:))
    }
}

/// Counters by which tests see the reads behind an access.
extension NSPersistentStoreCoordinator {
    /// How often the stores' tables were read so far: once for each statement that a fetch or a fault runs.
    package var readCount: Int {
        persistentStores.reduce(0) { $0 + ($1.tables?.engine?.readCount ?? 0) }
    }

    /// Empties the row caches, so that the next access has to read.
    package func evictRows() {
        for store in persistentStores { store.rowCache?.removeAll() }
    }
}

extension NSPersistentStoreRequest {
    /// The stores to ask; nil for all of the coordinator's.
    public var affectedStores: [NSPersistentStore]? {
        get { affectedStoreObjects?.compactMap { $0 as? NSPersistentStore } }
        set { affectedStoreObjects = newValue }
    }
}
