import FirnLog
import FirnModel

/// The statements that reverting a transaction needs.
extension NSPersistentHistoryTransaction {
    /// Finds which of the objects were there before; all, if that is not known any more.
    func existing(_ ids: Set<NSManagedObjectID>) throws -> Set<NSManagedObjectID> {
        let before = SequenceNumber(record.sequence.rawValue - 1)
        guard let past = try? PastStore(source.store, at: before) else { return ids }
        return try past.context.performAndWait { try ids.filter { try past.object($0) != nil } }
    }

    /// A member that came into a to-many relationship, or left it.
    struct MemberChange {
        let owner: NSManagedObjectID
        let relationship: String
        let member: NSManagedObjectID
        let isAdded: Bool
    }

    /// The changes of members that no to-one relationship tells. A link that is removed and added has another place.
    var memberChanges: [MemberChange] {
        source.changes.links.flatMap { group in
            memberChanges(group.added, group.removed, group.slot, isAdded: true)
                + memberChanges(group.removed, group.added, group.slot, isAdded: false)
        }
    }

    private func memberChanges(_ links: [Link], _ others: [Link], _ slot: UInt16, isAdded: Bool) -> [MemberChange] {
        let moved = Set(others.map { [$0.source, $0.destination] })
        return links.filter { !moved.contains([$0.source, $0.destination]) }.compactMap { link in
            guard let owner = source.store.objectID(for: link.source),
                let member = source.store.objectID(for: link.destination),
                Int(slot) < owner.entity.layout.slots.count
            else { return nil }
            let slot = owner.entity.layout.slots[Int(slot)]
            return MemberChange(owner: owner, relationship: slot.name, member: member, isAdded: isAdded)
        }
    }
}

extension NSPersistentHistoryChange {
    /// The names of the values that the change states: of attributes, of elements of composite attributes as
    /// `place.city`, of to-one relationships. Of an insertion, all that there were: those that are not stated were nil.
    var statedNames: [String] {
        let changed = changedNames
        return changedObjectID.entity.layout.slots.enumerated().compactMap { index, slot in
            if case .position = slot.kind { return nil }
            guard slot.isStored, !slot.isDerived, changed?.contains(slot.name) ?? true else { return nil }
            return states(index) ? slot.name : nil
        }
    }
}
