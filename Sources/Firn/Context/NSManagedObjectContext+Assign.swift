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
        guard object.identity.isTemporaryID || object.store === store else {
            fatalError(
                "\(object.identity.uriRepresentation()) is in a store already: only new objects can be assigned to one")
        }
        guard (persistentStoreCoordinator?.persistentStores.contains { $0 === store } ?? false) else {
            fatalError(
                "the store \(store.identifier ?? "?") is not one of the context's coordinator: add it there first")
        }
        guard store.backend?.schema.stores(object.entity) ?? false else {
            fatalError(
                "the store \(store.identifier ?? "?") does not hold the entity \(object.entity.name ?? "?"): "
                + "its configuration is \(store.configurationName)")
        }
        object.store = store
    }

    func makePermanentIDs(for objects: [NSManagedObject]) throws {
        checkQueue()
        var fresh = objects.filter { $0.context === self && $0.identity.isTemporaryID }
        if let parent { fresh = try applyPermanentIDs(of: fresh, from: parent) }
        guard !fresh.isEmpty else { return }
        guard let coordinator = persistentStoreCoordinator else {
            throw CoreDataError.make(
                .persistentStoreOperation, "the context has no persistent store coordinator: set one first")
        }
        for share in try coordinator.shares(of: ObjectChange(inserted: fresh), in: self) {
            let keys = try share.store.permanentKeys(for: share.change.inserted, in: self)
            for (object, key) in zip(share.change.inserted, keys) {
                makePermanent(object, key: key, store: share.store)
            }
        }
    }

    /// New objects that are already known to the parent take the IDs which they get there. Gives the others.
    private func applyPermanentIDs(
        of fresh: [NSManagedObject], from parent: NSManagedObjectContext
    ) throws -> [NSManagedObject] {
        try parent.performAndWait {
            let theirs = fresh.compactMap { parent.registeredObject(for: $0.identity) }
            try parent.obtainPermanentIDs(for: theirs)
            for object in fresh {
                guard let id = parent.registeredObject(for: object.identity)?.identity, !id.isTemporaryID
                else { continue }
                rename(object, to: id, key: id.key, store: store(of: id))
            }
            return fresh.filter(\.identity.isTemporaryID)
        }
    }
}
