import FirnFoundation
import FirnProjection
import FirnModel
import Foundation
import FirnLog

/// Taking newer values, and going back.
extension NSManagedObjectContext {
    /// With `true`, reads the object's row again under its unsaved changes; with `false`, makes it a fault and drops
    /// them.
    public func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
        guard object.context === self, object.identity.isTemporaryID == false else { return }
        if flag {
            if object.isFault { return }
            guard let snapshot = snapshot(for: object) else {
                handleInaccessibleFault(object, key: nil)
                return
            }
            object.rebase(onto: snapshot)
            object.awake(fromSnapshotEvents: .refresh)
        } else {
            updated.remove(object)
            deleted.remove(object)
            pending.updated.remove(object)
            pending.deleted.remove(object)
            object.turnIntoFault()
        }
        pending.refreshed.insert(object)
        scheduleFlush()
    }

    /// Refreshes every object: those with changes keep them, the others become faults.
    public func refreshAllObjects() {
        for object in registry.objects where !object.identity.isTemporaryID {
            refresh(object, mergeChanges: object.hasChanges)
        }
        processPendingChanges()
    }

    /// Forgets everything: all objects, all changes.
    public func reset() {
        let ids = registry.objects.map(\.objectID)
        pending.removeAll()
        inserted.removeAll()
        updated.removeAll()
        deleted.removeAll()
        checked.removeAll()
        undoStep = UndoStep()
        for object in registry.objects {
            object.dropValues()
            object.snapshot = nil
            object.context = nil
        }
        registry.removeAll()
        undoManager?.removeAllActions()
        post(
            .NSManagedObjectContextObjectsDidChange,
            [NSInvalidatedAllObjectsKey: ids])
    }

    /// Drops all changes since the last save: new objects go, deleted ones come back, changed ones are as saved.
    public func rollback() {
        processPendingChangesWithoutUndo()
        for object in inserted.objects {
            pending.deleted.insert(object)
            registry.remove(object)
            object.state.insert(.gone)
        }
        let revived = deleted.objects
        let changed = updated.objects
        let discarded = inserted.objects
        inserted.removeAll()
        updated.removeAll()
        deleted.removeAll()
        for object in revived { pending.inserted.insert(object) }
        for object in revived + changed {
            discardChanges(object)
            if !object.state.contains(.pendingInsert) { pending.refreshed.insert(object) }
            object.awake(fromSnapshotEvents: .rollback)
        }
        undoManager?.removeAllActions()
        processPendingChangesWithoutUndo()
        for object in discarded { object.context = nil }
    }

    private func discardChanges(_ object: NSManagedObject) {
        object.changed = SlotSet()
        object.changedInEvent = SlotSet()
        for slot in object.values.indices {
            if case .toMany(let members) = object.values[slot] {
                members.discardChanges()
            } else {
                object.values[slot] = .unset
            }
        }
    }

    /// Checks the object for conflicts with the next save even if it is not changed.
    public func detectConflicts(for object: NSManagedObject) {
        guard object.context === self, !object.identity.isTemporaryID else { return }
        if object.isFault { object.fulfill(for: nil) }
        checked.insert(object)
    }

    /// Gives new objects their permanent IDs now. They stay new.
    public func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
        let fresh = objects.filter { $0.context === self && $0.identity.isTemporaryID }
        guard !fresh.isEmpty else { return }
        guard let coordinator = persistentStoreCoordinator else {
            throw CoreDataError.make(
                .persistentStoreOperation, "the context has no persistent store coordinator: set one first")
        }
        for share in try coordinator.shares(of: ObjectChange(inserted: fresh), in: self) {
            var counts: [EntityNumber: Int] = [:]
            for object in share.change.inserted {
                counts[share.engine.schema.number(of: object.layout.rootEntity), default: 0] += 1
            }
            var ranges = try share.engine.reserveKeys(share.engine.header(for: self), counts: counts)
            for object in share.change.inserted {
                let root = share.engine.schema.number(of: object.layout.rootEntity)
                guard let range = ranges[root], let key = range.first else { continue }
                ranges[root] = range.dropFirst()
                makePermanent(
                    object,
                    key: ObjectKey(
                        entity: share.engine.schema.number(of: object.entity), primaryKey: key),
                    store: share.store)
            }
        }
    }
}
