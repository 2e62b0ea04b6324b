import FirnModel
import Foundation
import OrderedCollections

/// Saving one level up.
extension NSManagedObjectContext {
    /// Makes the changes of a child this context's own unsaved ones. Of to-many relationships they have both sides.
    func saveIntoParent(_ parent: NSManagedObjectContext, _ change: ObjectChange) throws {
        try parent.performAndWait {
            for object in change.inserted { parent.adoptInserted(object) }
            for object in change.inserted + change.updated { parent.adoptValues(object) }
            for object in change.deleted { parent.adoptDeleted(object) }
            parent.processPendingChanges()
            for object in change.inserted + change.updated {
                object.apply(try parent.object(with: object.identity).currentSnapshot())
            }
        }
    }

    private func adoptInserted(_ child: NSManagedObject) {
        // The child may have obtained the permanent ID already.
        let object = makeFault(child.identity, key: child.identity.key, store: child.store)
        object.state.remove(.fault)
        inserted.insert(object)
        pending.inserted.insert(object)
    }

    private func adoptValues(_ child: NSManagedObject) {
        let object = object(with: child.identity)
        if object.isFault { object.fulfill(for: nil) }
        for slot in child.layout.slots.indices {
            guard !child.values.isEmpty, child.isInserted || child.changed.contains(slot) else { continue }
            // To set a relationship to what it was is no change of it: this context may have set another one.
            if child.layout.slots[slot].isToOne, !child.differsFromSnapshot(slot) { continue }
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

    /// What a child's object is here; nil for one that was new here, and was deleted before anybody saved it.
    private func counterpart(of child: NSManagedObject) -> NSManagedObject? {
        guard child.key.isTemporary, parent == nil else { return object(with: child.identity) }
        return known(child.key, in: nil)
    }

    private func adopt(_ members: Members, in object: NSManagedObject, _ slot: Int) {
        guard members.isChanged else { return }
        let mine = object.members(slot)
        if mine.isOrdered, members.isLoaded { _ = mine.members { object.storedMembers(slot) } }
        for member in members.removed.compactMap({ counterpart(of: $0.object) }) { mine.remove(member) }
        for member in members.added.compactMap({ counterpart(of: $0.object) }) { mine.add(member) }
        if mine.isOrdered, let order = members.loaded, let now = mine.loaded {
            // The child's order, as far as it knew the members.
            var wanted = OrderedSet(order.compactMap { counterpart(of: $0.object).map(ObjectReference.init) })
            wanted.formIntersection(now)
            wanted.formUnion(now)
            if wanted != now { mine.reorder(wanted) }
        }
    }

    private func adoptDeleted(_ child: NSManagedObject) {
        let object = object(with: child.identity)
        guard !object.isDeleted else { return }
        if object.isFault { object.fulfill(for: nil) }
        if object.state.contains(.inserted) {
            inserted.remove(object)
            object.state.formUnion([.deletedRemotely, .unsaved])
        } else {
            deleted.insert(object)
        }
        updated.remove(object)
        pending.updated.remove(object)
        pending.deleted.insert(object)
        // What this context related to it meanwhile, the child knew nothing of.
        pending.undispatchedDeletes.append(object)
    }

    /// A child saved into this context: its other children that follow by themselves merge it.
    func childDidSave(
        _ child: NSManagedObjectContext, _ change: ObjectChange, _ identities: [AnyHashable: Any]
    ) {
        let ids = RemoteChange(change, identities)
        for sibling in persistentStoreCoordinator?.followers ?? []
        where sibling !== child && sibling.parent === self {
            sibling.mergeLater(ids)
        }
    }
}
