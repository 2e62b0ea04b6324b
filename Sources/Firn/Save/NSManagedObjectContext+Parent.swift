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
            return try written.map { object in
                try parent.counterpart(of: object).flatMap { try parent.row(of: $0, maximumAge: -1) }
            }
        }
        let edited = Set(
            [pending.inserted, pending.updated, pending.deleted].flatMap(\.objects).map(ObjectReference.init))
        // An observer of the parent may have called reset() or rollback() here.
        for (object, row) in zip(written, rows) where object.context === self {
            // A change of what the parent has deleted is lost with it.
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

    /// Lets the merge policy decide about changed objects that neither the parent nor a store has any more, as the
    /// parent dropped their insertion, and about objects to check that the parent has deleted. Returns whether there
    /// were any.
    func resolveLost(_ parent: NSManagedObjectContext, _ updated: [NSManagedObject]) throws -> Bool {
        let temporary = updated.filterUnretained { $0.key.isTemporary }
        let checked = checked.objects.filter { !$0.isDeleted }
        if temporary.isEmpty && checked.isEmpty { return false }
        let lost = try parent.performAndWait {
            let lost = temporary.filter { parent.counterpart(of: $0) == nil }
            return try lost + checked.filter { object in
                try !lost.contains(object) && parent.row(of: object.identity.current, maximumAge: -1) == nil
            }
        }
        if lost.isEmpty { return false }
        let conflicts = lost.map { object in
            NSMergeConflict(
                source: object, newVersion: 0, oldVersion: object.snapshot.map { Int($0.version) } ?? 0,
                cachedSnapshot: nil, persistedSnapshot: nil)
        }
        try ConflictResolver(context: self, rows: ConflictRows { _ in nil }, attempt: 1).resolve(conflicts, [])
        return true
    }

    private func adoptInserted(_ child: NSManagedObject) {
        let id = child.identity.current
        // It may have been asked for before it was saved.
        let object = registeredObject(for: id) ?? makeFault(id, key: id.key, store: child.store)
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
