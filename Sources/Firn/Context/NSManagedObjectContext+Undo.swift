import FirnFoundation
import FirnModel
import FirnRuntime
import Foundation

/// Undo and redo. Each event (what happens between two `processPendingChanges`) becomes one step of the undo manager.
/// The step is a group of its own if none is open, and the manager opens none: Apple's manager raises an exception.
extension NSManagedObjectContext {
    /// At an undo manager's checkpoints, what is pending is registered. Groups of an event end with the turn of the
    /// context's queue, as there may be no run loop.
    func followUndoManager(insteadOf old: UndoManager?) {
        guard old !== undoManager else { return }
        recordsUndo = undoManager != nil || !undoRecords.isEmpty
        if undoRecords.isEmpty { undoStep = UndoStep() }
        if let checkpoints { NotificationCenter.default.removeObserver(checkpoints) }
        old?.removeAllActions(withTarget: self)
        checkpoints = undoManager.map { manager in
            NotificationCenter.default.addObserver(
                forName: .NSUndoManagerCheckpoint, object: manager, queue: nil
            ) { [reference = WeakReference(self)] _ in reference.object?.processPendingChanges() }
        }
        undoManager?.atEndOfEvent = { [reference = WeakReference(self)] end in
            let end = Transferred(end)
            if let context = reference.object, context.concurrencyType != .confinementConcurrencyType,
                context.isOnQueue
            {
                context.queue.async { end.value() }
            } else {
                RunLoop.current.perform { end.value() }
            }
        }
    }

    /// Keeps what a slot held before the event's first change of it.
    func recordForUndo(_ object: NSManagedObject, _ slot: Int) {
        undoStep.record(object, slot)
    }

    /// Hands the event's step to the open record and to the undo manager, if it takes any now. Says whether there is
    /// one that could.
    @discardableResult
    func registerUndo(_ change: ObjectChange) -> Bool {
        guard recordsUndo else { return false }
        var step = undoStep
        undoStep = UndoStep()
        // Also those whose deletion was taken back: to do it again is to delete them.
        step.inserted = change.inserted.filter { !$0.isDeleted }
        step.deleted = change.deleted.filter { $0.isDeleted && !$0.state.contains(.notUndone) }
        step.recordMembers()
        guard !step.isEmpty, !isUndoSuspended else { return true }
        undoRecords.last?.steps.append(step)
        guard let undoManager, undoManager.isUndoRegistrationEnabled else { return true }
        let needsGroup = !undoManager.groupsByEvent && undoManager.groupingLevel == 0
        if needsGroup { undoManager.beginUndoGrouping() }
        undoManager.registerUndo(withTarget: self) { [step] context in context.revert(step) }
        if needsGroup { undoManager.endUndoGrouping() }
        return true
    }

    /// Ends an event that cannot be undone: it goes back itself, or follows from what others saved.
    package func processPendingChangesWithoutUndo() {
        isUndoSuspended = true
        defer { isUndoSuspended = false }
        processPendingChanges()
    }

    /// Begins a record of what changes from now on.
    package func beginUndoRecord() -> UndoRecord {
        processPendingChanges()
        let record = UndoRecord(undoManager)
        undoRecords.append(record)
        recordsUndo = true
        return record
    }

    /// Ends a record. What it has belongs to the one around it.
    package func endUndoRecord(_ record: UndoRecord) {
        processPendingChanges()
        undoRecords.removeAll { $0 === record }
        undoRecords.last?.steps += record.steps
        recordsUndo = undoManager != nil || !undoRecords.isEmpty
        if recordsUndo { return }
        undoStep = UndoStep()
        releaseUnsavedDeletions()
    }

    /// Ends a record, and undoes what changed since it began. The undo manager is as it was then.
    package func revert(_ record: UndoRecord) {
        processPendingChanges()
        isUndoSuspended = true
        for step in record.steps.reversed() { revert(step) }
        isUndoSuspended = false
        record.steps.flatMap(\.values).map(\.object).filter { $0.context === self }.forEach(discardUpdate)
        record.steps = []
        record.manager?.restore(record.contents)
        endUndoRecord(record)
    }

    /// An object with the values of its row is not updated.
    private func discardUpdate(_ object: NSManagedObject) {
        guard object.state.isDisjoint(with: [.inserted, .deleted, .deletedRemotely]), object.changedSlots.isEmpty
        else { return }
        object.changed = SlotSet()
        updated.remove(object)
    }

    /// Undoes a step. What that changes is an event too, whose step is the redo.
    private func revert(_ step: UndoStep) {
        for object in step.inserted where !object.isDeleted && object.context === self { removeInserted(object) }
        // A refresh or a merge policy may have dropped a deletion since.
        let deleted = step.deleted.filter { $0.isDeleted || $0.state.contains(.gone) }
        let revived = deleted.filter { $0.state.isDisjoint(with: [.deleted, .unsaved]) }
        for object in deleted { bringBack(object) }
        for object in deleted where object.isInserted { object.leaveGone() }
        let values = step.values.filter { $0.object.context === self }
        // All noted first: what a to-one reads as may depend on the other side, which is about to change.
        for value in values { value.object.recordChange(value.slot) }
        // Members last: who of them has left follows from their to-one relationships.
        for value in values where !value.isMembers { value.object.restore(value) }
        if !deleted.isEmpty { for object in ownersWithRemovedMembers + deleted { object.reconsiderLeft() } }
        for value in values where value.isMembers { value.object.restore(value) }
        let oneToOnes = values.filter { $0.object.layout.slots[$0.slot].isOneToOne }
        let ends = oneToOnes.map { ($0.object, $0.slot) }
            + deleted.flatMap { object in object.layout.oneToOneSlots.map { (object, $0) } }
        for (object, slot) in ends {
            object.reviewLoss(slot)
            object.notifyStoredPartner(slot)
        }
        for value in oneToOnes { value.object.restoreInverse(value.slot) }
        // Another save may have related them after their deletion, of which the step knows nothing.
        for object in revived { object.agreeWithPartners() }
        for value in values where !revived.isEmpty {
            guard case .value(.toOne(let other)) = value.old else { continue }
            if revived.contains(where: { $0 === other }) { value.object.agreeWithPartners() }
        }
        for object in deleted { object.awake(fromSnapshotEvents: .undoDeletion) }
        for object in Set(step.values.map { ObjectReference($0.object) }) {
            object.object.awake(fromSnapshotEvents: .undoUpdate)
        }
        processPendingChanges()
    }

    private func removeInserted(_ object: NSManagedObject) {
        if object.state.contains(.inserted) {
            inserted.remove(object)
            object.state.formUnion([.deletedRemotely, .unsaved])
        } else {
            if object.isFault { object.fulfill(for: nil) }
            deleted.insert(object)
            // What refers to it may have been read again since, and is not among the step's values.
            pending.undispatchedDeletes.append(object)
        }
        updated.remove(object)
        pending.updated.remove(object)
        pending.inserted.remove(object)
        pending.deleted.insert(object)
        object.awake(fromSnapshotEvents: .undoInsertion)
    }

    /// Takes the deletion of an object back. If it was saved, here or elsewhere, that comes back as a new object.
    func bringBack(_ object: NSManagedObject) {
        if object.state.contains(.deleted) {
            deleted.remove(object)
            if !object.changed.isEmpty { updated.insert(object) }
        } else {
            inserted.insert(object)
            if !object.state.contains(.unsaved) {
                if object.context === self { registry.remove(object) }
                object.context = self
                object.becomeNew()
                registry.insert(object, key: object.key, store: object.store)
            }
            object.state.subtract([.deletedRemotely, .gone, .notUndone, .unsaved])
        }
        pending.deleted.remove(object)
        pending.inserted.insert(object)
    }
}

/// The changes of a part of the work, which can be undone without the undo manager.
package final class UndoRecord {
    fileprivate(set) var steps: [UndoStep] = []
    fileprivate let manager: UndoManager?
    fileprivate let contents: UndoManager.Contents

    /// The objects that were inserted.
    package var inserted: [NSManagedObject] { steps.flatMap(\.inserted) }

    fileprivate init(_ manager: UndoManager?) {
        self.manager = manager
        contents = manager?.contents ?? UndoManager.Contents()
    }
}

/// The state before one event of everything that the event changed.
struct UndoStep {
    struct Value {
        let object: NSManagedObject
        let slot: Int
        let old: Saved
        /// The members at the end of the event: those that come or go later are none of its changes.
        var new: MemberList<ObjectReference>?

        var isMembers: Bool { if case .members = old { true } else { false } }
    }

    enum Saved {
        case value(SlotValue)
        case members(Members.State)
    }

    private struct SlotKey: Hashable {
        let object: ObjectIdentifier
        let slot: Int
    }

    var inserted: [NSManagedObject] = []
    var deleted: [NSManagedObject] = []
    private(set) var values: [Value] = []
    private var known: Set<SlotKey> = []

    var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty && values.isEmpty }

    mutating func record(_ object: NSManagedObject, _ slot: Int) {
        guard known.insert(SlotKey(object: ObjectIdentifier(object), slot: slot)).inserted else { return }
        values.append(Value(object: object, slot: slot, old: object.saved(slot)))
    }

    fileprivate mutating func recordMembers() {
        for (index, value) in values.enumerated() where value.isMembers && !value.object.values.isEmpty {
            if case .toMany(let members) = value.object.values[value.slot] { values[index].new = members.loaded }
        }
    }
}

extension NSManagedObject {
    fileprivate func saved(_ slot: Int) -> UndoStep.Saved {
        switch layout.slots[slot].kind {
        case .toMany:
            _ = loadedMembers(slot)
            return .members(members(slot).state)
        case .toOne, .attribute, .position: return .value(read(slot))
        case .composite, .fetched: return .value(.unset)
        }
    }

    fileprivate func restore(_ value: UndoStep.Value) {
        switch value.old {
        // Its deletion was saved meanwhile: no save would take it.
        case .value(.toOne(let other)) where other.state.contains(.gone) && storedPartner(value.slot) !== other:
            write(.null, value.slot)
        case .value(let old): write(old, value.slot)
        case .members(let state): restoreMembers(state, value.new, value.slot)
        }
    }

    /// The members as they were. What is stored may have changed since, by a save.
    private func restoreMembers(_ state: Members.State, _ new: MemberList<ObjectReference>?, _ slot: Int) {
        let members = members(slot)
        if snapshot != nil { _ = members.members { self.storedMembers(slot) } }
        let inverse = layout.slots[slot].inverseSlot
        var state = state.withoutGone()
        if let new, let now = members.loaded {
            state.current = state.current?.subtracting(new.subtracting(now)).union(now.subtracting(new))
        }
        members.restore(state, base: snapshot == nil ? [] : members.base ?? []) { member in
            member.isDeleted || inverse.map { member.hasLeft(self, $0) } == true
        }
    }

    /// Sets the inverse of a restored one-to-one relationship, which a merge may have changed since.
    fileprivate func restoreInverse(_ slot: Int) {
        guard let inverse = layout.slots[slot].inverseSlot, !isDeleted, let partner = destination(slot),
            !partner.isDeleted, partner.destination(inverse) !== self
        else { return }
        partner.setDestination(self, inverse)
    }

    /// Keeps the objects at the other ends themselves: once their deletion is saved too, and undone, their keys lead
    /// nowhere.
    func holdDestinations() {
        for info in layout.slots where info.isToOne { write(read(info.index), info.index) }
    }

    /// A new object leads to nothing whose deletion was saved before it came back.
    fileprivate func leaveGone() {
        for slot in layout.relationshipSlots {
            if layout.slots[slot].isToOne {
                if destination(slot)?.state.contains(.gone) == true { write(.null, slot) }
            } else {
                let members = members(slot)
                for member in memberObjects(slot) where member.state.contains(.gone) { members.discard(member) }
            }
        }
    }

    /// Takes all values into the object itself, and a temporary identity: its old one was deleted for ever.
    func becomeNew() {
        for slot in layout.storedSlots { write(read(slot), slot) }
        for slot in layout.toManySlots {
            let members = members(slot)
            members.restore(members.state, base: [])
        }
        snapshot = nil
        identity = NSManagedObjectID(temporaryFor: entity)
        key = identity.key
    }
}
