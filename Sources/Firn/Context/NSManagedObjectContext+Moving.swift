import FirnStore
import FirnModel
import FirnRuntime
import Foundation

/// Handling of the objects of a store that was rewritten at another place.
extension NSManagedObjectContext {
    /// Called on any thread; what is done is done on the context's queue, at once if the caller is on it. Objects and
    /// their unsaved changes stay as they are; their IDs are the new store's, by `ids`, or with the same keys.
    func storeWasReplaced(
        _ old: NSPersistentStore, by new: NSPersistentStore, ids: [NSManagedObjectID: NSManagedObjectID]?
    ) {
        let move = { [reference = WeakReference(self)] in
            guard let context = reference.object else { return }
            context.pin?.discard(old)
            let objects = context.registry.objects.filter { $0.store === old }
            for object in objects { context.move(object, to: new, ids) }
            if ids != nil { for object in objects { context.readAgain(object) } }
        }
        if isOnQueue { return move() }
        let work = Transferred(move)
        queue.async { work.value() }
    }

    private func move(
        _ object: NSManagedObject, to store: NSPersistentStore, _ ids: [NSManagedObjectID: NSManagedObjectID]?
    ) {
        guard !object.identity.isTemporaryID else {
            object.store = store
            return
        }
        let new = ids.map { $0[object.identity] } ?? store.objectID(for: object.key)
        guard let new else { return }
        registry.remove(object)
        object.identity = new
        registry.insert(object, key: new.key, store: store)
    }

    /// The row that an object stands on refers to others by the keys of the new store. Members that are known stay.
    private func readAgain(_ object: NSManagedObject) {
        guard object.snapshot != nil, let row = (try? storedRow(of: object, maximumAge: -1)) ?? nil
        else { return }
        object.snapshot = row
        object.hints = nil
    }
}
