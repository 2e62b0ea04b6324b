import FirnStore
import FirnLog
import FirnModel
import Foundation
import FirnRuntime

/// Asks the context's merge policy, and sees to it that a conflict it left is settled one way.
struct ConflictResolver {
    let context: NSManagedObjectContext
    let rows: ConflictRows
    let attempt: Int

    func resolve(_ conflicts: [NSMergeConflict], _ constraints: [NSConstraintConflict]) throws {
        guard let policy = context.mergePolicy as? NSMergePolicy else {
            fatalError("mergePolicy must be an NSMergePolicy, not \(type(of: context.mergePolicy))")
        }
        guard attempt <= 100 else {
            throw CoreDataError.make(
                .persistentStoreSaveConflicts,
                "the merge policy left conflicts that it had resolved 100 times: let it change the conflicting objects",
                [NSPersistentStoreSaveConflictsErrorKey: (conflicts as [Any]) + constraints])
        }
        // What a policy decides is about the rows of now, and delete rules have to reach what these lead to.
        if policy.mergeType != .errorMergePolicyType { context.advancePinToCurrent() }
        try policy.resolve(mergeConflicts: conflicts.isEmpty ? constraints : conflicts)
        for conflict in constraints {
            guard let survivor = conflict.survivor, survivor.context != nil, !survivor.isDeleted else { continue }
            for object in conflict.conflictingObjects where object.context == nil || object.isDeleted {
                if survivor.entity.isKindOf(entity: object.entity) { rows.successors[.init(object)] = survivor }
            }
        }
        for conflict in conflicts where conflict.sourceObject.snapshot?.version != conflict.current?.version {
            // A policy of the application's own changed the object as it liked: that is laid over what the store has.
            if let current = conflict.current {
                conflict.sourceObject.rebase(onto: current)
            } else if conflict.sourceObject.snapshot != nil, !conflict.sourceObject.state.contains(.deletedRemotely) {
                try Self.apply(.rollbackMergePolicyType, to: conflict)
            }
        }
        // Only now, as a partner may be among the conflicts, and have had its turn after the object.
        for conflict in conflicts where conflict.current == nil && conflict.sourceObject.isInserted {
            try conflict.sourceObject.notifyPartners(rows)
        }
        for conflict in conflicts { announce(conflict.sourceObject) }
        context.propagateDeletes()
        for conflict in conflicts { conflict.sourceObject.leaveDeleted() }
    }

    /// The object has values that it did not have before: those who show it have to hear of that.
    private func announce(_ object: NSManagedObject) {
        guard !object.isDeleted else { return }
        context.pending.refreshed.insert(object)
        object.awake(fromSnapshotEvents: .mergePolicy)
    }

    static func apply(_ type: NSMergePolicyType, to conflict: NSMergeConflict) throws {
        let object = conflict.sourceObject
        guard let current = conflict.current else { return try applyDeletion(type, object, conflict.exists) }
        if object.state.contains(.deleted) {
            switch type {
            case .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType:
                object.context?.deleted.remove(object)
                object.dropDeparture()
                object.dropValues()
            default:
                // What the other save related to the object is reached by its delete rules too.
                object.context?.pending.undispatchedDeletes.append(object)
            }
            object.rebase(onto: current)
            return
        }
        switch type {
        case .mergeByPropertyStoreTrumpMergePolicyType:
            let old = object.snapshot
            object.changed.forEach { slot in
                let isTheirs = object.layout.slots[slot].unit.contains { old?.value($0) != current.value($0) }
                if isTheirs { object.dropChange(slot) }
            }
        case .overwriteMergePolicyType:
            try object.checkLargeValues()
            object.overwrite(current, conflict.exists)
            return
        case .rollbackMergePolicyType:
            object.changed.forEach { object.dropChange($0) }
            object.dropValues()
            object.context?.updated.remove(object)
        default: break
        }
        object.rebase(onto: current)
    }

    /// Another save deleted what was changed here. The store's side winning means that it is gone; this side winning,
    /// that it is written again, under its old identity: if anything is another than it was.
    private static func applyDeletion(
        _ type: NSMergePolicyType, _ object: NSManagedObject, _ exists: (NSManagedObject) -> Bool
    ) throws {
        guard let context = object.context else { return }
        guard type.isWonHere, object.hasPersistentChangedValues else { return context.applyDeletion(of: object) }
        try object.checkLargeValues()
        context.updated.remove(object)
        context.deleted.remove(object)
        object.becomeUnsaved(exists)
        context.inserted.insert(object)
    }
}

extension NSManagedObject {
    /// Throws for a large value that is to be written again and cannot be read.
    fileprivate final func checkLargeValues() throws {
        guard let snapshot, snapshot.isOfStore, let store else { return }
        for slot in layout.storedSlots where !changed.contains(slot) {
            _ = try store.inline(snapshot.value(slot), layout.slots[slot])
        }
    }

    /// Back as it is stored, the object may be related to others that are deleted here. These go all the same, and do
    /// not take along what the store won. What another save had deleted is in the store again if a row leads there.
    fileprivate final func leaveDeleted() {
        if isDeleted || isFault { return }
        for slot in layout.storedSlots where layout.slots[slot].isToOne {
            guard let inverse = layout.slots[slot].inverseSlot, let other = destination(slot),
                other.state.contains(.deleted), other.layout.slots[inverse].deleteRule != .noActionDeleteRule
            else { continue }
            recordChange(slot)
            write(.null, slot)
        }
    }

    /// The object stays where it is stored: owners that it left here, or that its deletion took it from, have to look
    /// again.
    fileprivate final func dropDeparture() {
        for slot in layout.storedSlots where layout.slots[slot].isToOne {
            guard let inverse = layout.slots[slot].inverseSlot, !layout.slots[slot].isOneToOne else { continue }
            let left = destination(slot)
            if !values.isEmpty { values[slot] = .unset }
            for owner in [left, destination(slot)] { owner?.reconsiderMember(self, inverse) }
        }
    }

    /// Forgets a change of one slot.
    final func dropChange(_ slot: Int) {
        changed.remove(slot)
        changedInEvent.remove(slot)
        guard !values.isEmpty else { return }
        if case .toMany(let members) = values[slot] { return members.discardChanges() }
        guard case .toOne = layout.slots[slot].kind, let inverse = layout.slots[slot].inverseSlot else {
            values[slot] = .unset
            return
        }
        let dropped = destination(slot)
        values[slot] = .unset
        for owner in [dropped, destination(slot)] { owner?.reconsiderMember(self, inverse) }
    }

    /// Stands on `current`, with a change of every stored value that is not as there. The other sides of to-one
    /// relationships follow. One to what is deleted is nothing; where only the store knows of that, it stays as there.
    fileprivate func overwrite(_ current: Snapshot, _ exists: (NSManagedObject) -> Bool) {
        var pushed: [(slot: Int, value: SlotValue)] = []
        for slot in layout.storedSlots where snapshot.map({ $0.value(slot) != current.value(slot) }) ?? false {
            let other = destination(slot)
            if !layout.slots[slot].isToOne {
                pushed.append((slot, read(slot)))
            } else if other.map(exists) ?? true {
                pushed.append((slot, other.map(SlotValue.toOne) ?? .null))
            } else if layout.slots[slot].inverseSlot == nil
                || other?.state.isDisjoint(with: [.deleted, .deletedRemotely, .gone]) == false
            {
                pushed.append((slot, .null))
            }
        }
        if !changed.isEmpty || !pushed.isEmpty { context?.updated.insert(self) }
        rebase(onto: current)
        for (slot, value) in pushed {
            switch value {
            case .toOne(let other): setDestination(other, slot)
            case .null where layout.slots[slot].isToOne: setDestination(nil, slot)
            default:
                write(value, slot)
                changed.insert(slot)
            }
        }
    }

    /// Takes all values into the object itself, as if it were new; its key stays. What it is related to may be deleted
    /// too: `exists` tells.
    fileprivate func becomeUnsaved(_ exists: (NSManagedObject) -> Bool) {
        for slot in layout.storedSlots {
            if let other = destination(slot), !exists(other) {
                write(.null, slot)
            } else {
                write(read(slot), slot)
            }
        }
        for info in layout.linkSlots {
            for member in memberObjects(info.index) where !exists(member) { members(info.index).discard(member) }
            let members = members(info.index)
            members.restore(members.state, base: [])
            // For the case that another save has written it before this one.
            if members.isChanged { changed.insert(info.index) }
        }
        snapshot = nil
    }

    /// The other save ended what was related to this object, where that still stands here: it is related again, over
    /// what the partners' rows are now.
    fileprivate func notifyPartners(_ rows: ConflictRows) throws {
        for info in layout.slots where info.isRelationship {
            if let inverse = info.inverseSlot { try notifyPartners(info, inverse, rows) }
        }
    }

    private func notifyPartners(_ info: Slot, _ inverse: Int, _ rows: ConflictRows) throws {
        let partners: [NSManagedObject]
        switch info.kind {
        case .toOne: partners = destination(info.index).map { [$0] } ?? []
        case .toMany where layout.linkSlots.contains { $0.index == info.index }: partners = memberObjects(info.index)
        default: return
        }
        for partner in partners where partner !== self && !partner.isDeleted {
            if partner.isFault { partner.fulfill(for: nil) }
            if partner.isDeleted { continue }
            if partner.snapshot != nil, let now = try rows.row(partner) {
                if now.version != partner.snapshot?.version { partner.rebase(onto: now) }
            }
            partner.recordChange(inverse)
            if case .toMany = partner.layout.slots[inverse].kind {
                partner.members(inverse).renew(self)
            } else {
                partner.write(.toOne(self), inverse)
                partner.notifyStoredPartner(inverse)
            }
        }
    }
}
