import FirnModel
import FirnStore
import FirnRuntime
import Foundation

/// Handling of the objects of a store that is removed from the coordinator.
extension NSManagedObjectContext {
    /// Called on any thread; what is done is done on the context's queue, at once if the caller is on it.
    func storeWasRemoved(_ store: NSPersistentStore) {
        let invalidate = { [reference = WeakReference(self)] in
            guard let context = reference.object else { return }
            context.pin?.discard(store)
            context.invalidateObjects(of: store)
        }
        if isOnQueue { return invalidate() }
        let work = Transferred(invalidate)
        queue.async { work.value() }
    }

    /// The store's objects become faults that cannot fire, whatever was changed in them; new objects that were not
    /// assigned to it stay. `ObjectsDidChange` tells them as invalidated, or, if nothing is left, as `invalidatedAll`.
    private func invalidateObjects(of store: NSPersistentStore) {
        processPendingChangesWithoutUndo()
        let gone = registry.objects.filter { $0.store === store }
        defer { registry.remove(store) }
        guard !gone.isEmpty else { return }
        let leavesNothing = gone.count == registry.objects.count
        for object in gone {
            for list in [\NSManagedObjectContext.inserted, \.updated, \.deleted, \.checked] {
                self[keyPath: list].remove(object)
            }
            object.dropValues()
            object.snapshot = nil
            object.state.insert(.fault)
            if !leavesNothing { pending.invalidated.insert(object) }
        }
        undoManager?.removeAllActions(withTarget: self)
        if leavesNothing {
            post(.NSManagedObjectContextObjectsDidChange, [NSInvalidatedAllObjectsKey: gone.map(\.objectID)])
        } else {
            processPendingChangesWithoutUndo()
        }
    }
}
