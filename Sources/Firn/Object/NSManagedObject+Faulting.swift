import FirnStore
import FirnModel
import FirnRuntime
import Foundation

/// Turning a fault into an object and back.
extension NSManagedObject {
    /// Reads the object's row. Where it is gone, the context decides what the object becomes. Where the context is gone
    /// the object stays a fault without values, as in Core Data: it reads nil.
    final func fulfill(for key: String?) {
        guard let context else { return }
        state.remove(.fault)
        if state.contains(.inserted), snapshot == nil {
            if values.isEmpty { applyDefaults(context) }
            return
        }
        snapshot = context.snapshot(for: self)
        if snapshot == nil { context.handleInaccessibleFault(self, key: key) } else { awakeUnchanged() }
    }

    /// Calls the hook. What it sets is no change, so that no fetch leaves anything to save; it is saved with one.
    private func awakeUnchanged() {
        guard let context = contextReference, !state.contains(.updated) else { return awakeFromFetch() }
        let recordsUndo = context.with { $0.recordsUndo }
        context.with { $0.recordsUndo = false }
        awakeFromFetch()
        context.with { $0.recordsUndo = recordsUndo }
        if !state.contains(.updated) { return }
        context.with { $0.updated.remove(self) }
        context.with { $0.pending.updated.remove(self) }
        changedInEvent = SlotSet()
    }

    /// Gives the object its values without a read: the row came with a fetch.
    final func realize(_ snapshot: Snapshot) {
        guard state.contains(.fault) else { return }
        state.remove(.fault)
        self.snapshot = snapshot
        awakeUnchanged()
    }

    /// Drops all values, changed ones too: the next access reads them again.
    final func turnIntoFault() {
        guard !state.contains(.fault), snapshot != nil else { return }
        becomeFault()
    }

    /// Makes the object a fault, wherever it is.
    final func becomeFault() {
        willTurnIntoFault()
        dropValues()
        snapshot = nil
        state.insert(.fault)
        didTurnIntoFault()
    }

    /// Makes a new object a fault, which has the entity's defaults when it fires. Its relationships end.
    final func turnNewIntoFault() {
        guard !state.contains(.fault) else { return }
        willTurnIntoFault()
        endRelationships()
        dropValues()
        state.insert(.fault)
        didTurnIntoFault()
    }

    /// Leaves the object related to nothing.
    final func endRelationships() {
        for slot in layout.relationshipSlots {
            if layout.slots[slot].isToOne { setDestination(nil, slot) } else { setMembers([], slot) }
        }
    }

    /// Drops all values: the context is gone, or has forgotten the object.
    final func becomeOrphan() {
        dropValues()
        snapshot = nil
        state = .fault
        context = nil
    }

    /// Drops all that the object holds but its snapshot.
    final func dropValues() {
        values.removeAll()
        hints = nil
        changed = SlotSet()
        changedInEvent = SlotSet()
    }

    /// Keeps transient values and known members after a save; stored values read through to the new snapshot.
    final func apply(_ snapshot: Snapshot) {
        self.snapshot = snapshot
        hints = nil
        changed = SlotSet()
        changedInEvent = SlotSet()
        guard !values.isEmpty else { return }
        if layout.isAllStored {
            values.removeAll()
            return
        }
        var keeps = false
        for slot in 0..<values.count {
            switch values[slot] {
            case .unset: break
            case .toMany(let members):
                members.acceptChanges()
                if members.isLoaded { keeps = true } else { values[slot] = .unset }
            default:
                if layout.slots[slot].isTransient { keeps = true } else { values[slot] = .unset }
            }
        }
        if !keeps { values.removeAll() }
    }

    /// Takes a newer snapshot under the object's own unsaved changes. Members are read again when needed.
    ///
    /// A property that is as it was read is no change that holds against the newer snapshot.
    final func rebase(onto snapshot: Snapshot) {
        let old = self.snapshot
        var kept = SlotSet()
        for slot in hasChanges ? [] : changed.slots {
            // Set as a primitive value, which is no change by itself.
            if case .attribute = layout.slots[slot].kind { changed.remove(slot) }
        }
        for slot in changed.slots where !values.isUnset(slot) && differsFromSnapshot(slot) {
            // A composite is one value.
            for leaf in layout.slots[slot].unit {
                if values.isUnset(leaf) { write(read(leaf), leaf) }
                changed.insert(leaf)
                kept.insert(leaf)
            }
        }
        for slot in 0..<values.count {
            switch values[slot] {
            case .toMany(let members): members.unload()
            case .unset: break
            default:
                let info = layout.slots[slot]
                if case .fetched = info.kind { values[slot] = .unset }
                if !info.isTransient, !kept.contains(slot) { values[slot] = .unset }
            }
        }
        self.snapshot = snapshot
        hints = nil
        // A loss that follows is that of the partner in the row: where the row leads elsewhere, it is no change.
        for slot in values.isEmpty ? [] : layout.oneToOneSlots where changed.contains(slot) && values.isUnset(slot) {
            if destination(slot, in: old) !== destination(slot, in: snapshot) { changed.remove(slot) }
        }
        if !values.isEmpty { layout.oneToOneSlots.forEach(reviewLoss) }
        if let old { notifyOwners(old, snapshot) }
    }

    /// Objects that gained or lost this one as a member by another's save read their members again: the save need not
    /// have touched them.
    private func notifyOwners(_ old: Snapshot, _ new: Snapshot) {
        for slot in layout.toOneSlots {
            guard let inverse = layout.slots[slot].inverseSlot, old.value(slot) != new.value(slot) else { continue }
            for row in [old, new] { partner(slot, in: row)?.reconsiderMember(self, inverse) }
        }
    }

    /// Asks the store again about a member of a to-many relationship.
    final func reconsiderMember(_ member: NSManagedObject, _ slot: Int) {
        guard !values.isEmpty, case .toMany(let members) = values[slot] else { return }
        members.reconsider(member)
    }

    final var valuesDescription: String {
        let parts = layout.slots.filter(\.isPublicProperty).map { info -> String in
            if case .toMany = info.kind {
                return "\(info.name): <relationship>"
            }
            if case .fetched = info.kind { return "\(info.name): <fetched>" }
            if case .toOne = info.kind {
                let id = destination(info.index)?.objectID.uriRepresentation().absoluteString
                return "\(info.name): \(id ?? "nil")"
            }
            return "\(info.name): \(anyValue(info.index).map { "\($0)" } ?? "nil")"
        }
        return "{ " + parts.joined(separator: "; ") + " }"
    }
}

/// The keys, other than properties, that a predicate may ask of every managed object.
enum IntrinsicKey: String {
    case objectID, entity, isFault, hasChanges, isInserted, isUpdated, isDeleted, description, managedObjectContext
    case `self`
    /// The entity for `$0 is Subclass`, also where a property is named "entity".
    case entityOfObject = "entity()"

    func value(of object: NSManagedObject) -> Any? {
        switch self {
        case .objectID: object.objectID
        case .entity, .entityOfObject: object.entity
        case .isFault: object.isFault
        case .hasChanges: object.hasChanges
        case .isInserted: object.isInserted
        case .isUpdated: object.isUpdated
        case .isDeleted: object.isDeleted
        case .description: object.description
        case .managedObjectContext: object.managedObjectContext
        case .self: object
        }
    }
}
