import FirnModel
import Foundation
import FirnRuntime

/// Saving one level up.
extension NSManagedObjectContext {
    /// Makes the changes of a child this context's own unsaved ones. Of to-many relationships they have both sides.
    func saveIntoParent(_ parent: NSManagedObjectContext, _ change: ObjectChange) throws {
        let written = change.inserted + change.updated
        // Found on this context's queue: what reads an object belongs there.
        let (slots, checked) = (written.map(\.slotsToHandUp), checked.objects)
        let rows = try parent.performAndWait {
            parent.isAdopting = true
            defer { parent.isAdopting = false }
            for object in change.inserted { parent.adoptInserted(object) }
            for (object, slots) in zip(written, slots) { parent.adoptValues(object, slots) }
            for object in change.deleted { parent.adoptDeleted(object) }
            for object in checked.compactMap(parent.counterpart) { parent.check(object) }
            parent.processPendingChanges()
            return try written.map { object in
                let theirs = parent.counterpart(of: object)
                return theirs?.isDeleted == false ? try theirs?.currentSnapshot() : nil
            }
        }
        for (object, row) in zip(written, rows) {
            // A change of what the parent has deleted is lost with it.
            if let row { object.apply(row) } else { applyDeletion(of: object) }
        }
    }

    private func adoptInserted(_ child: NSManagedObject) {
        let id = child.identity.current
        // It may have been asked for before it was saved.
        let object = registeredObject(for: id) ?? makeFault(id, key: id.key, store: child.store)
        object.state.subtract([.fault, .deletedRemotely, .notUndone])
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
