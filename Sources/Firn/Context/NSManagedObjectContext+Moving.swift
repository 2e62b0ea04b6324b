import FirnLog
import FirnModel
import Foundation

/// What becomes of the objects of a store that was written anew at another place.
extension NSManagedObjectContext {
    /// Called on any thread; what is done is done on the context's queue, at once if the caller is on it. Objects and
    /// their unsaved changes stay as they are; their IDs are the new store's.
    func storeWasReplaced(_ old: NSPersistentStore, by new: NSPersistentStore) {
        let move = { [weak self] in
            guard let self else { return }
            pin?.forget(old)
            for object in registry.objects where object.store === old { self.move(object, to: new) }
        }
        if isOnQueue { return move() }
        nonisolated(unsafe) let work = move
        queue.async { work() }
    }

    private func move(_ object: NSManagedObject, to store: NSPersistentStore) {
        guard !object.identity.isTemporaryID else {
            object.store = store
            return
        }
        guard let id = store.objectID(for: object.key) else { return }
        let key = object.key
        registry.remove(object)
        object.identity = id
        registry.insert(object, key: key, store: store)
    }
}
