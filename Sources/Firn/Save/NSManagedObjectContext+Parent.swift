import FirnModel
import Foundation
import FirnRuntime

/// Saving one level up.
extension NSManagedObjectContext {
    /// Makes this context's changes unsaved ones of its parent. Of to-many relationships they have both sides. Returns
    /// what an observer of the parent has changed here meanwhile.
    func saveIntoParent(_ parent: NSManagedObjectContext, _ change: ObjectChange) throws -> Set<ObjectReference> {
        let written = change.inserted + change.updated
        // Found on this context's queue: what reads an object belongs there.
        let (slots, checked) = (written.map(\.slotsToHandUp), checked.objects)
        let rows = try parent.performAndWait {
            let dropCount = parent.dropCount
            parent.isAdopting = true
            defer { parent.isAdopting = false }
            for object in change.inserted { parent.adoptInserted(object) }
            for (object, slots) in zip(written, slots) { parent.adoptValues(object, slots) }
            for object in change.deleted { parent.adoptDeleted(object) }
            for object in checked.compactMap(parent.counterpart) { parent.check(object) }
            parent.processPendingChanges()
            guard parent.dropCount == dropCount else {
                throw CoreDataError.make(
                    .persistentStoreSave,
                    "an observer of the parent context called reset() or rollback() while a child was saved into it: "
                        + "the parent has lost the changes, and the child still has them. Save it again")
            }
            // An observer may have made it a fault.
            return try written.map(parent.rowBelow)
        }
        let edited = Set(
            [pending.inserted, pending.updated, pending.deleted].flatMap(\.objects).map(ObjectReference.init))
        // An observer of the parent may have called reset() or rollback() here.
        for (object, row) in zip(written, rows) where object.context === self {
            // What the parent has deleted is deleted here. A change of it was a conflict.
            guard let row else {
                applyDeletion(of: object)
                continue
            }
            if !edited.contains(ObjectReference(object)) {
                object.apply(row)
                continue
            }
            object.rebase(onto: row)
            inserted.remove(object)
            if object.state.contains(.unsaved) {
                object.state.subtract([.deletedRemotely, .notUndone, .unsaved])
                deleted.insert(object)
            } else if !object.isDeleted {
                updated.insert(object)
            }
        }
        return edited
    }

    /// Lets the merge policy decide about objects, changed or to check, that the parent has deleted, or that neither it
    /// nor a store has any more. Returns whether there were any.
    func resolveLost(_ parent: NSManagedObjectContext, _ updated: [NSManagedObject]) throws -> Bool {
        let checked = checked.objects.filter { !$0.isDeleted && !$0.isUpdated }
        if updated.isEmpty && checked.isEmpty { return false }
        let lost = try parent.performAndWait { try (updated + checked).filter(parent.lacks) }
            .filter { !$0.isUpdated || $0.hasPersistentChangedValues || $0.state.contains(.detectsConflicts) }
        if lost.isEmpty { return false }
        let rows = ConflictRows { object in try parent.performAndWait { try parent.rowBelow(object) } }
        let conflicts = lost.map { NSMergeConflict(source: $0, current: nil, isInStore: false, rows: rows) }
        try ConflictResolver(context: self, rows: rows, attempt: 1).resolve(conflicts, [])
        return true
    }

    private func adoptInserted(_ child: NSManagedObject) {
        let id = child.identity.current
        // It may have been asked for before it was saved.
        let object = registeredObject(for: id) ?? makeFault(id, key: id.key, store: child.store)
        // The child's merge policy writes again what was deleted: here, or by another save.
        if object.state.contains(.deleted) {
            adopt(object)
            // Delete rules may have acted on the other ends.
            return object.endRelationships()
        }
        if object.state.contains(.deletedRemotely), object.snapshot != nil {
            object.dropValues()
            object.snapshot = nil
        }
        object.state.subtract([.fault, .deletedRemotely, .notUndone, .unsaved])
        object.store = child.store
        inserted.insert(object)
        pending.inserted.insert(object)
    }

    private func adoptValues(_ child: NSManagedObject, _ slots: [Int]) {
        guard let object = counterpart(of: child) else { return }
        if object.isFault { object.fulfill(for: nil) }
        for slot in slots {
            switch child.values[slot] {
            case .unset:
                // It follows from the other side, which is part of the save too.
                if child.snapshot != nil, child.layout.slots[slot].isOneToOne { object.recordChange(slot) }
            case .toOne(let destination):
                object.adoptDestination(counterpart(of: destination), slot)
                continue
            case .null where child.layout.slots[slot].isToOne:
                object.adoptDestination(nil, slot)
                continue
            case .toMany(let members):
                // Noted first: an undo needs what was there before.
                object.recordChange(slot)
                adopt(members, in: object, slot)
            case let value:
                object.recordChange(slot)
                object.write(value, slot)
            }
        }
    }

    /// The object here that a child's object stands for; nil for one that was new here or above, and was deleted before
    /// a store had it.
    func counterpart(of child: NSManagedObject) -> NSManagedObject? {
        let id = child.identity.current
        return id.isTemporaryID && !holds(id) ? nil : object(with: id)
    }

    /// The row that a child reads here of its object.
    private func rowBelow(_ child: NSManagedObject) throws -> Snapshot? {
        try counterpart(of: child).flatMap { try row(of: $0, maximumAge: -1) }
    }

    /// Whether a child's object is deleted here, or is neither here nor in a store.
    private func lacks(_ child: NSManagedObject) throws -> Bool {
        let id = child.identity.current
        return try !holds(id) && (id.isTemporaryID || row(of: id, maximumAge: -1) == nil)
    }

    private func adopt(_ members: Members, in object: NSManagedObject, _ slot: Int) {
        guard members.isChanged else { return }
        let mine = object.members(slot)
        let info = object.layout.slots[slot]
        // Read here too, as only then it is known whether it is a change. Where the child did not, the other side is.
        if members.isLoaded && (mine.isOrdered || info.toMany?.hasLinks == true) || info.inverseSlot == nil {
            _ = object.loadedMembers(slot)
        }
        for member in members.removed.compactMap({ counterpart(of: $0.object) }) {
            mine.remove(member, isStored: member.hasStored(object, info.inverseSlot))
        }
        for member in members.added.compactMap({ counterpart(of: $0.object) }) {
            mine.add(member, isStored: member.hasStored(object, info.inverseSlot))
        }
        if mine.isOrdered, let order = members.loaded, let now = mine.loaded {
            // The child's order, as far as it knew the members.
            var wanted = MemberList(order.compactMap { counterpart(of: $0.object).map(ObjectReference.init) })
            wanted.removeAll { !now.contains($0) }
            wanted.append(contentsOf: now)
            if wanted != now { mine.reorder(wanted) }
        }
    }

    private func adoptDeleted(_ child: NSManagedObject) {
        guard let object = counterpart(of: child), !object.isDeleted else { return }
        if object.isFault { object.fulfill(for: nil) }
        // An undo makes it new again in the child, for the same store.
        child.store = child.store ?? object.store
        // What this context related to it meanwhile, the child knew nothing of.
        enlistDeleted(object)
    }

    /// Saved into its parent, the change is merged by this context's children that follow by themselves. Its siblings
    /// merge it when their parent saves, which is what they follow.
    func childrenMerge(_ change: ObjectChange, _ identities: [AnyHashable: Any]) {
        let ids = RemoteChange(change, identities)
        for follower in persistentStoreCoordinator?.followers ?? [] where follower.parent === self {
            follower.mergeLater(ids)
        }
    }
}

extension NSManagedObject {
    /// The slots of which a save hands the values to the parent. To set a property to what it was is no change of it:
    /// the parent may have set another value.
    fileprivate final var slotsToHandUp: [Int] {
        if values.isEmpty { return [] }
        // An order that is to be laid over the members once they are read.
        for info in layout.slots {
            if case .toMany(let members) = values[info.index], members.isReordered { _ = memberObjects(info.index) }
        }
        return layout.slots.filter { info in
            if case .fetched = info.kind { return false }
            return info.unit.contains {
                (isInserted || changed.contains($0)) && (info.isTransient || differsFromSnapshot($0))
            }
        }.map(\.index)
    }
}
