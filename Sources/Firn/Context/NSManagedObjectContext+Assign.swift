import FirnStore
import FirnModel
import FirnProjection
import Foundation

/// Where new objects will live, and under which ID.
extension NSManagedObjectContext {
    func choose(_ store: NSPersistentStore, for object: Any) {
        guard let object = object as? NSManagedObject, object.context === self else {
            fatalError("assign(_:to:) takes a managed object of this context, not \(object)")
        }
        adoptPermanentIDs()
        guard object.identity.isTemporaryID || object.store === store else {
            fatalError(
                "\(object.identity.uriRepresentation()) is in a store already: only new objects can be assigned to one")
        }
        guard (persistentStoreCoordinator?.persistentStores.contains { $0 === store } ?? false) else {
            fatalError(
                "the store \(store.identifier ?? "?") is not one of the context's coordinator: add it there first")
        }
        guard store.schema?.stores(object.entity) ?? false else {
            fatalError(
                "the store \(store.identifier ?? "?") does not hold the entity \(object.entity.name ?? "?"): "
                + "its configuration is \(store.configurationName)")
        }
        object.store = store
        guard let parent, !object.isInserted else { return }
        // Saved into the parent, it is new there.
        parent.performAndWait { if let new = parent.counterpart(of: object) { parent.choose(store, for: new) } }
    }

    func makePermanentIDs(for objects: [NSManagedObject]) throws {
        checkQueue()
        adoptPermanentIDs()
        let new = objects.filter { $0.context === self && $0.key.isTemporary }
        if !new.isEmpty { try assignPermanentIDs(to: new) }
    }

    /// Assigns the IDs on the root's queue, so that a save that is under way is the first. An object goes into the
    /// store that it was assigned to in the highest context in which it is new.
    private func assignPermanentIDs(to objects: [NSManagedObject]) throws {
        defer { adoptPermanentIDs() }
        if let parent {
            return try parent.performAndWait {
                parent.adoptPermanentIDs()
                try parent.assignPermanentIDs(
                    to: objects.map { object in
                        let theirs = parent.registry.object(for: object.key, in: object.store)
                        return theirs?.isInserted == true ? theirs ?? object : object
                    })
            }
        }
        guard let coordinator else {
            throw CoreDataError.make(
                .persistentStoreOperation, "the context has no persistent store coordinator: set one first")
        }
        let new = objects.filter(\.identity.current.isTemporaryID)
        for share in try coordinator.shares(of: ObjectChange(inserted: new)) {
            let keys = try share.store.permanentKeys(for: share.change.inserted, in: self)
            for (object, key) in zip(share.change.inserted, keys) {
                object.identity.become(share.store.permanentID(for: key))
            }
        }
        announcePermanentIDs()
    }
}
