import FirnStore
import FirnModel

/// One-to-one relationships, of which both sides are stored: who has the say about a pair.
///
///     stored     9 ── 4              set here    4 ── 2
///     9  nothing of its own: reads 4 from its row, but 4 has parted from it, so it has none
///     4  leads to 2                2  leads to 4
///
/// What an object loses because its partner goes elsewhere is no value of its own. So whatever takes the partner's
/// change back, be it a merge policy, the deletion of the new partner by another save, or an undo, gives it back too,
/// and whatever another save gives it instead stands. Set to nothing, or left by a deletion, both sides have that as
/// their own value.
extension NSManagedObject {
    /// Whether a to-one relationship was set here, and does not just read as stored.
    final func hasOwnDestination(_ slot: Int) -> Bool {
        changed.contains(slot) && !values.isUnset(slot)
    }

    /// Whether this object, which another one's row leads to by a one-to-one relationship, was given to another here.
    final func isUnlinked(from other: NSManagedObject, _ slot: Int) -> Bool {
        guard hasOwnDestination(slot) else { return false }
        if case .toOne(let partner) = values[slot] { return partner !== other }
        return true
    }

    /// The object that the row leads to by a to-one relationship, if it is in memory.
    final func storedPartner(_ slot: Int) -> NSManagedObject? { partner(slot, in: snapshot) }

    /// The object that a row of this one leads to, if it is in memory.
    ///
    /// Compared as an object and not by its key: in a child the row may have the key of before the root's save.
    final func partner(_ slot: Int, in row: Snapshot?) -> NSManagedObject? {
        guard let row, case .reference(let key) = row.value(slot) else { return nil }
        if let id = row.identity(slot) { return context?.registeredObject(for: id) }
        return context?.known(key, inStoreOf: self)
    }

    /// The object that a row of this one leads to, in memory or not.
    final func destination(_ slot: Int, in row: Snapshot?) -> NSManagedObject? {
        guard let row, case .reference(let key) = row.value(slot) else { return nil }
        if let id = row.identity(slot) { return context?.object(with: id) }
        return context?.object(for: key, inStoreOf: self)
    }

    /// The partner goes elsewhere if `follows`, or else is set to nothing, or deleted.
    final func losePartner(_ partner: NSManagedObject, _ slot: Int, follows: Bool) {
        recordChange(slot)
        let isStored = layout.slots[slot].isOneToOne && follows && storedPartner(slot) === partner
        write(isStored ? .unset : .null, slot)
        if layout.slots[slot].isOneToOne, !isStored {
            notifyStoredPartner(slot)
            reviewLoss(slot)
        }
    }

    /// A one-to-one relationship was set here: the loss of whom this object has in its row follows from that, or no
    /// longer does.
    final func notifyStoredPartner(_ slot: Int) {
        guard let inverse = layout.slots[slot].inverseSlot, layout.slots[slot].isOneToOne,
            let partner = storedPartner(slot), partner !== self, !partner.isFault
        else { return }
        partner.reviewLoss(inverse)
        // A partner with another one in its row has lost nothing by this: set to that one, it is changed too.
        guard hasOwnDestination(slot), case .null = values[slot], partner.changed.contains(inverse),
            !partner.hasOwnDestination(inverse), !partner.isDeleted, partner.storedPartner(inverse) === self
        else { return }
        partner.write(.null, inverse)
    }

    /// The loss of the partner in the row is not the object's own value while that leads to another.
    final func reviewLoss(_ slot: Int) {
        guard layout.slots[slot].isOneToOne, hasOwnDestination(slot), case .null = values[slot], hasLost(slot),
            storedPartner(slot)?.isDeleted == false
        else { return }
        write(.unset, slot)
    }

    /// The object is deleted: what it lost to others before stays lost to it, whatever becomes of the partner.
    final func holdLosses() {
        for slot in layout.oneToOneSlots where !hasOwnDestination(slot) && hasLost(slot) { write(.null, slot) }
    }

    /// Whether the partner in the row leads to another. Not by its own row: to be set to what it was is no change of
    /// it, and this row may be the newer one.
    private func hasLost(_ slot: Int) -> Bool {
        guard let inverse = layout.slots[slot].inverseSlot, let partner = storedPartner(slot),
            partner.hasOwnDestination(inverse), case .toOne(let other) = partner.values[inverse]
        else { return false }
        return other !== self && partner.storedPartner(inverse) !== other
    }

    /// The partner in the row is deleted here, though it had been given to another before.
    final func loseStoredPartner(_ partner: NSManagedObject, _ slot: Int) {
        if isFault { fulfill(for: layout.slots[slot].name) }
        guard !isDeleted, storedPartner(slot) === partner, !hasOwnDestination(slot) else { return }
        recordChange(slot)
        write(.null, slot)
    }
}
