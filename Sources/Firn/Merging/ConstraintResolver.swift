import FirnModel
import Foundation

/// Settles a constraint conflict in the way of one of Core Data's own policies.
///
/// One object stays under the constraint: the stored one, else the first that a store knows, else the first. What
/// becomes of the others depends on who wins, and on whether they have a row of their own:
///
///                        new object                              object with a row
///     store wins         goes; what points to it points to       its constrained properties are as saved
///                        the one that stays
///     object wins        the same, and its values too, nulls     the same, and its row goes
///                        over those of a row
///     rollback           goes                                    all its changes go
struct ConstraintResolver {
    let type: NSMergePolicyType
    let conflict: NSConstraintConflict

    func apply() {
        guard let winner = conflict.survivor else { return }
        for object in conflict.conflictingObjects where object !== winner { resolve(object, winner) }
        winner.awake(fromSnapshotEvents: .mergePolicy)
    }

    private func resolve(_ object: NSManagedObject, _ winner: NSManagedObject) {
        switch type {
        case .rollbackMergePolicyType where object.snapshot != nil:
            object.layout.slots.forEach { object.revert($0.index) }
            object.endChanges()
        case .mergeByPropertyStoreTrumpMergePolicyType where object.snapshot != nil:
            for name in conflict.constraint { object.layout.slot(named: name).map(object.revert) }
            if object.changed.isEmpty { object.endChanges() }
        case .errorMergePolicyType: return
        default:
            let isOverwriting = type == .overwriteMergePolicyType
            if isOverwriting || type == .mergeByPropertyObjectTrumpMergePolicyType {
                winner.copyValues(of: object, copiesNulls: isOverwriting || conflict.databaseObject != nil)
            }
            if type != .rollbackMergePolicyType { winner.addMembers(of: object) }
            object.context?.delete(object)
            object.context?.processPendingChanges()
            // An application tells by that which of its objects another one replaced.
            if object.context == nil, !object.isFault { object.becomeFault() }
        }
    }
}

extension NSManagedObject {
    /// Gives a property the value that is saved, inverses kept.
    fileprivate func revert(_ slot: Int) {
        guard changed.contains(slot) else { return }
        let info = layout.slots[slot]
        if case .toOne = info.kind {
            let saved = withoutValues { destination(slot) }
            setDestination(saved, slot)
        } else if case .toMany = info.kind {
            let saved = members(slot).base?.map(\.object)
            if let saved { setMembers(saved, slot) }
        }
        dropChange(slot)
    }

    /// The object has no changes left that a save has to write.
    fileprivate func endChanges() {
        context?.updated.remove(self)
        context?.pending.updated.remove(self)
        context?.pending.refreshed.insert(self)
    }

    /// Takes over what another object has in the properties that both have; its nulls only if asked to.
    fileprivate func copyValues(of other: NSManagedObject, copiesNulls: Bool) {
        for slot in layout.storedSlots where slot < other.layout.slots.count {
            let info = layout.slots[slot]
            guard info.isPublicProperty || info.isCompositeLeaf, other.layout.slots[slot].property === info.property
            else { continue }
            let value = other.anyValue(slot)
            if value != nil || copiesNulls { setAnyValue(value, slot) }
        }
    }

    /// Adds the members of another object's relationships to the relationships that both have.
    fileprivate func addMembers(of other: NSManagedObject) {
        for slot in layout.toManySlots where slot < other.layout.slots.count {
            guard other.layout.slots[slot].property === layout.slots[slot].property else { continue }
            for member in other.memberObjects(slot) where !member.isDeleted { insertMember(member, slot) }
        }
    }
}
