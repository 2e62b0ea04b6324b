import FirnRuntime
import FirnStore
import FirnModel
import Foundation

/// Inserting, deleting, and what happens at the end of an event.
extension NSManagedObjectContext {
    func adopt(_ object: NSManagedObject) {
        checkQueue()
        if object.context === self {
            if object.isDeleted { undelete(object) }
            return
        }
        guard object.context == nil else {
            fatalError(
                "\(object.objectID.uriRepresentation()) belongs to another context already: take it from there with "
                    + "object(with:) and its objectID")
        }
        object.context = self
        inserted.insert(object)
        // What was in a store is another object from now on. A fault has lost its context, and its values with it.
        if object.snapshot != nil || object.isFault { object.becomeNew() }
        if object.store?.isOf(persistentStoreCoordinator) == false { object.store = nil }
        object.state.remove(.gone)
        registry.insertNew(object, besides: inserted.count)
        pending.inserted.insert(object)
        scheduleFlush()
        object.awakeFromInsert()
    }

    func markDeleted(_ object: NSManagedObject) {
        checkQueue()
        if object.isDiscarded { return }
        guard object.context === self else {
            fatalError(
                "\(object.objectID.uriRepresentation()) is not in this context: fetch it here, by object(with:), "
                    + "before deleting it"
                    + (object.state.contains(.gone) ? ". Its deletion was saved already" : ""))
        }
        object.prepareForDeletion()
        guard !object.isDeleted else { return }
        if object.isFault { object.fulfill(for: nil) }
        guard !object.isDeleted else { return }
        enlistDeleted(object)
        scheduleFlush()
    }

    /// Deletes an object whose values are at hand.
    func enlistDeleted(_ object: NSManagedObject) {
        if object.state.contains(.inserted) {
            // Nothing of it is in a store: it goes without one hearing of it.
            inserted.remove(object)
            if object.state.contains(.pendingInsert) {
                pending.inserted.remove(object)
                object.state.insert(.notUndone)
            }
            object.state.formUnion([.deletedRemotely, .unsaved])
        } else {
            deleted.insert(object)
        }
        pending.deleted.insert(object)
        updated.remove(object)
        pending.updated.remove(object)
        pending.undispatchedDeletes.append(object)
    }

    private func undelete(_ object: NSManagedObject) {
        pending.deleted.remove(object)
        pending.undispatchedDeletes.removeAll { $0 === object }
        if object.state.contains(.deletedRemotely) { return bringBack(object) }
        deleted.remove(object)
        recordUpdate(object)
    }

    /// An object's property changed.
    func recordUpdate(_ object: NSManagedObject) {
        checkQueue()
        if object.state.isDisjoint(with: [.inserted, .deleted, .deletedRemotely]) {
            updated.insert(object)
            pending.updated.insert(object)
        } else if object.state.contains(.inserted), !object.state.contains(.pendingInsert) {
            pending.updated.insert(object)
        }
        scheduleFlush()
    }

    func endEvent() {
        checkQueue()
        defer { notifyRegistrations() }
        mergedInsertions = []
        guard !pending.isEmpty else { return }
        if propagatesDeletesAtEndOfEvent || isSaving { propagateDeletes() }
        let change = ObjectChange(
            inserted: pending.inserted.objects, updated: pending.updated.objects,
            deleted: pending.deleted.objects, refreshed: pending.refreshed.objects,
            invalidated: pending.invalidated.objects)
        let undispatched = pending.undispatchedDeletes
        pending.removeAll()
        pending.undispatchedDeletes = undispatched
        let canUndo = registerUndo(change)
        guard !change.isEmpty else { return }
        if isWriting { changedWhileWriting += change.inserted + change.updated + change.deleted }
        post(.NSManagedObjectContextObjectsDidChange, change.userInfo(&notifiedSets))
        change.inserted.forEachUnretained { $0.changedInEvent = SlotSet() }
        change.updated.forEachUnretained { $0.changedInEvent = SlotSet() }
        change.refreshed.forEachUnretained { $0.changedInEvent = SlotSet() }
        change.deleted.forEachUnretained { if $0.state.contains(.unsaved) { unsavedDeletions.append($0) } }
        // What an undo brings back, or what delete rules still have to act on, leaves with the save.
        if !canUndo, undispatched.isEmpty { releaseUnsavedDeletions() }
    }

    /// Objects that were inserted and deleted before a save are nothing to the context any more.
    func releaseUnsavedDeletions() {
        if unsavedDeletions.isEmpty { return }
        let released = unsavedDeletions
        unsavedDeletions = []
        for object in released where object.context === self && object.state.contains(.unsaved) {
            registry.remove(object)
            object.state.subtract([.deletedRemotely, .notUndone, .unsaved])
            object.state.insert(.gone)
            object.context = nil
        }
    }

    /// Lets the delete rules act on what was deleted, and on what they delete.
    func propagateDeletes() {
        while !pending.undispatchedDeletes.isEmpty {
            let batch = pending.undispatchedDeletes
            pending.undispatchedDeletes = []
            for object in batch where object.isDeleted { applyDeleteRules(object) }
        }
        resolveDangling()
    }

    private func applyDeleteRules(_ object: NSManagedObject) {
        object.holdLosses()
        for slot in object.layout.relationshipSlots {
            let info = object.layout.slots[slot]
            if info.isToOne {
                let other = object.destination(slot)
                if info.isOneToOne, info.deleteRule != .noActionDeleteRule, let inverse = info.inverseSlot,
                    let stored = object.destination(slot, in: object.snapshot), stored !== other
                {
                    stored.loseStoredPartner(object, inverse)
                }
                if let other { applyDeleteRule(info, of: object, to: other) }
            } else {
                for other in object.memberObjects(slot) { applyDeleteRule(info, of: object, to: other) }
            }
        }
    }

    @inline(__always)
    private func applyDeleteRule(_ info: Slot, of object: NSManagedObject, to other: NSManagedObject) {
        if other.isDeleted { return }
        switch info.deleteRule {
        case .cascadeDeleteRule: delete(other)
        case .nullifyDeleteRule: if let inverse = info.inverseSlot { other.loseInverse(object, inverse) }
        default: break
        }
    }

    func recordObservation(_ object: Any?, _ keyPath: String?) {
        guard let object = object as? NSManagedObject, object.context === self,
            let slot = keyPath.flatMap(object.layout.slot(named:))
        else { return }
        object.recordChange(slot)
    }

    func post(_ name: Notification.Name, _ userInfo: [AnyHashable: Any]?) {
        let notification = Notification(name: name, object: self, userInfo: userInfo)
        NotificationLock.post(notification)
        #if compiler(>=6.3)
        if concurrencyType == .mainQueueConcurrencyType, MainQueue.isCurrent { postMessage(notification) }
        #endif
    }
}

/// The sets of one notification.
struct ObjectChange {
    var inserted: [NSManagedObject] = []
    var updated: [NSManagedObject] = []
    var deleted: [NSManagedObject] = []
    var refreshed: [NSManagedObject] = []
    var invalidated: [NSManagedObject] = []

    var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty && invalidated.isEmpty
    }

    /// The part of some objects.
    func filter(_ isIncluded: (NSManagedObject) -> Bool) -> ObjectChange {
        ObjectChange(
            inserted: inserted.filter(isIncluded), updated: updated.filter(isIncluded),
            deleted: deleted.filter(isIncluded))
    }

    /// Calls `body` with each object that a save writes.
    func forEachUnretained(_ body: (NSManagedObject) throws -> Void) rethrows {
        try inserted.forEachUnretained(body)
        try updated.forEachUnretained(body)
        try deleted.forEachUnretained(body)
    }
}
