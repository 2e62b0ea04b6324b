import FirnRuntime
import FirnStore
import FirnFoundation
import FirnProjection
import FirnModel
import Foundation

/// Taking newer values, and going back.
extension NSManagedObjectContext {
    func refreshObject(_ object: NSManagedObject, keepsChanges flag: Bool) {
        checkQueue()
        guard object.context === self else { return }
        object.hints?.partial = nil
        if object.state.contains(.inserted) {
            if flag || object.snapshot != nil { return }
            object.turnNewIntoFault()
            hasNewFaults = true
        } else if flag {
            if object.isFault { return }
            guard let snapshot = snapshot(for: object) else {
                handleInaccessibleFault(object, key: nil)
                return
            }
            object.rebase(onto: snapshot)
            // What others related to an object that is deleted here is reached by its delete rules too.
            if object.state.contains(.deleted) { pending.undispatchedDeletes.append(object) }
            object.awake(fromSnapshotEvents: .refresh)
        } else {
            updated.remove(object)
            deleted.remove(object)
            pending.updated.remove(object)
            pending.deleted.remove(object)
            // A save that won over the deletion which was merged here may have written it again.
            if object.state.contains(.deletedRemotely), hasRow(object) { reviveAsFault(object) }
            object.turnIntoFault()
        }
        pending.refreshed.insert(object)
        scheduleFlush()
    }

    func refreshAll() {
        checkQueue()
        // What was done here before is an event of its own, which can be undone.
        processPendingChanges()
        let objects = registry.objects.filter { !$0.state.contains(.inserted) }
        // What is gone comes last: what it was related to may be related to something else by now.
        let changed = objects.filter { $0.hasChanges && !$0.isFault }
        let gone = Set(changed.filter { snapshot(for: $0) == nil }.map(ObjectReference.init))
        for object in objects where !gone.contains(ObjectReference(object)) {
            refresh(object, mergeChanges: object.hasChanges)
        }
        for object in gone { refresh(object.object, mergeChanges: true) }
        processPendingChangesWithoutUndo()
    }

    func invalidateAll() {
        checkQueue()
        checkNotWriting("reset()")
        if hasChanges { dropCount += 1 }
        let ids = registry.objects.map(\.objectID)
        pending.removeAll()
        indeterminateSaves = []
        inserted.removeAll()
        updated.removeAll()
        deleted.removeAll()
        checked.removeAll()
        ownersWithRemovedMembers = []
        strays = []
        undoStep = UndoStep()
        unsavedDeletions = []
        mergedInsertions = []
        for object in registry.objects { object.becomeOrphan() }
        registry.removeAll()
        notifyRegistrations()
        undoManager?.removeAllActions()
        post(
            .NSManagedObjectContextObjectsDidChange,
            [NSInvalidatedAllObjectsKey: ids])
    }

    /// Merge policies and hooks run while a store is about to write what they would drop.
    private func checkNotWriting(_ name: String) {
        guard !isWriting else {
            fatalError(
                "\(name) was called while the context's changes are written, by a merge policy or a hook: throw an "
                + "error to stop the save, and call it after that")
        }
    }

    func dropAllChanges() {
        checkQueue()
        checkNotWriting("rollback()")
        if hasChanges { dropCount += 1 }
        processPendingChangesWithoutUndo()
        for object in inserted.objects {
            pending.deleted.insert(object)
            registry.remove(object)
            object.state.insert(.gone)
        }
        indeterminateSaves = []
        strays = []
        let revived = deleted.objects
        let changed = updated.objects
        let discarded = inserted.objects
        inserted.removeAll()
        updated.removeAll()
        deleted.removeAll()
        forEachOwnerWithRemovedMembers { $1.discardChanges() }
        for object in revived { pending.inserted.insert(object) }
        for object in revived + changed {
            discardChanges(object)
            if !object.state.contains(.pendingInsert) { pending.refreshed.insert(object) }
            object.awake(fromSnapshotEvents: .rollback)
        }
        undoManager?.removeAllActions()
        processPendingChangesWithoutUndo()
        for object in discarded { object.context = nil }
        releaseUnsavedDeletions()
    }

    private func discardChanges(_ object: NSManagedObject) {
        object.changed = SlotSet()
        object.changedInEvent = SlotSet()
        for slot in 0..<object.values.count {
            if case .toMany(let members) = object.values[slot] {
                members.discardChanges()
            } else {
                object.values[slot] = .unset
            }
        }
    }

    func check(_ object: NSManagedObject) {
        checkQueue()
        guard object.context === self, !object.state.contains(.inserted) else { return }
        if object.isFault { object.fulfill(for: nil) }
        checked.insert(object)
    }
}
