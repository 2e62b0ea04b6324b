import FirnModel
import Foundation
import FirnRuntime

/// Changes of relationships, with their inverses.
///
/// Every change of one side goes through `setDestination`, `insertMember` or `removeMember`, which make the
/// corresponding change on the other side without coming back.
extension NSManagedObject {
    /// Sets a to-one relationship and keeps its inverse.
    final func setDestination(_ new: NSManagedObject?, _ slot: Int) {
        let info = layout.slots[slot]
        if isFault { fulfill(for: info.name) }
        let old = destination(slot)
        guard old !== new else {
            recordChange(slot)
            return
        }
        if let new { adopt(new, info) }
        recordChange(slot)
        redirect(from: old, to: new, slot)
    }

    /// Replaces the members of a to-many relationship. Those in front that stay cost a comparison each.
    final func setMembers(_ new: [NSManagedObject], _ slot: Int) {
        let members = members(slot)
        let change = members.change(to: new) { self.storedMembers(slot) }
        replaceMembers(slot, change.removed, change.added)
        if members.isOrdered { members.reorder(keeping: change.keptCount, then: change.rest) }
    }

    /// Replaces the members of an unordered to-many relationship.
    final func setMembers(_ new: Set<NSManagedObject>, _ slot: Int) {
        let members = members(slot)
        let change = members.change(to: new) { self.storedMembers(slot) }
        replaceMembers(slot, change.removed, change.added)
        members.cache(new)
    }

    private func replaceMembers(
        _ slot: Int, _ removed: some Sequence<ObjectReference>, _ added: some Sequence<ObjectReference>
    ) {
        // Noted first: an undo needs what was there before.
        recordChange(slot)
        for reference in removed { removeMember(reference.object, slot) }
        for reference in added { insertMember(reference.object, slot) }
    }

    /// Adds `member` at the end.
    final func insertMember(_ member: NSManagedObject, _ slot: Int) {
        let info = layout.slots[slot]
        if isFault { fulfill(for: info.name) }
        adopt(member, info)
        if members(slot).contains(member) == true { return }
        if let inverse = info.inverseSlot, case .toOne = member.layout.slots[inverse].kind {
            // The to-one side is what is stored; it takes care of the previous owner and of this side.
            member.setDestination(self, inverse)
            return
        }
        if loadedMembers(slot).contains(ObjectReference(member)) { return }
        recordChange(slot)
        members(slot).add(member)
        if let inverse = info.inverseSlot { member.gainInverse(self, inverse) }
        recordDangling(member)
    }

    final func removeMember(_ member: NSManagedObject, _ slot: Int) {
        let info = layout.slots[slot]
        if isFault { fulfill(for: info.name) }
        if let inverse = info.inverseSlot, case .toOne = member.layout.slots[inverse].kind {
            if member.destination(inverse) === self { member.setDestination(nil, inverse) }
            return
        }
        if !loadedMembers(slot).contains(ObjectReference(member)) { return }
        recordChange(slot)
        members(slot).remove(member)
        if let inverse = info.inverseSlot { member.loseInverse(self, inverse) }
    }

    /// Takes over a destination that a child context set. The previous one may be another than the child knew.
    final func adoptDestination(_ new: NSManagedObject?, _ slot: Int) {
        let old = destination(slot)
        recordChange(slot)
        if old === new { write(new.map(SlotValue.toOne) ?? .null, slot) } else { redirect(from: old, to: new, slot) }
    }

    /// Whether this side of a relationship, as it was read, has the other object. Members are read for that, if they
    /// were not. The other side need not be, and records the same change as this one.
    final func hasStored(_ object: NSManagedObject, _ slot: Int?) -> Bool {
        guard let slot else { return false }
        if layout.slots[slot].isToOne { return storedPartner(slot) === object }
        _ = loadedMembers(slot)
        return members(slot).base?.contains(ObjectReference(object)) == true
    }

    /// The old destination is told first: as long as this object leads there, so does the inverse.
    private func redirect(from old: NSManagedObject?, to new: NSManagedObject?, _ slot: Int) {
        let inverse = layout.slots[slot].inverseSlot
        if let old, let inverse { old.loseInverse(self, inverse, follows: new != nil) }
        // The new one before this object leads there: what is stored may say so already, and what it shows changes.
        if let new, let inverse { new.gainInverse(self, inverse) }
        write(new.map(SlotValue.toOne) ?? .null, slot)
        notifyStoredPartner(slot)
        if let new { recordDangling(new) }
    }

    /// Records an object that is deleted, or in no context, so that the save looks at what was related to it.
    private func recordDangling(_ destination: NSManagedObject) {
        if destination.context != nil, !destination.isDeleted { return }
        context?.strays.append(ObjectReference(self))
    }

    /// The other side of a change: this object is now related to `object` through `slot`.
    private func gainInverse(_ object: NSManagedObject, _ slot: Int) {
        if isFault { fulfill(for: layout.slots[slot].name) }
        switch layout.slots[slot].kind {
        case .toOne:
            let old = destination(slot)
            guard old !== object else { return }
            recordChange(slot)
            if let inverse = layout.slots[slot].inverseSlot { old?.loseInverse(self, inverse, follows: true) }
            write(.toOne(object), slot)
            notifyStoredPartner(slot)
        case .toMany:
            recordChange(slot)
            members(slot).add(object, isStored: object.hasStored(self, layout.slots[slot].inverseSlot))
        default: return
        }
        recordDangling(object)
    }

    /// Makes both sides of this object's relationships say the same. A partner that leads elsewhere keeps that.
    final func agreeWithPartners() {
        for info in layout.slots where info.isRelationship {
            guard let inverse = info.inverseSlot else { continue }
            let partners = info.isToOne ? destination(info.index).map { [$0] } ?? [] : memberObjects(info.index)
            for partner in partners where partner.context === context && !partner.isDeleted {
                if partner.leads(to: self, inverse) { continue }
                if partner.destination(inverse) == nil {
                    partner.gainInverse(self, inverse)
                } else {
                    recordChange(info.index)
                    if info.isToOne { write(.null, info.index) } else { members(info.index).discard(partner) }
                }
            }
        }
    }

    private func leads(to object: NSManagedObject, _ slot: Int) -> Bool {
        if layout.slots[slot].isToOne { return destination(slot) === object }
        return members(slot).contains(object) == true
    }

    /// The other side of a change: this object is no longer related to `object` through `slot`. If `follows`, because
    /// that is related to another one instead.
    final func loseInverse(_ object: NSManagedObject, _ slot: Int, follows: Bool = false) {
        if state.contains(.gone) || (isDeleted && isFault) { return }
        if isFault { fulfill(for: layout.slots[slot].name) }
        switch layout.slots[slot].kind {
        case .toOne:
            guard destination(slot) === object else { return }
            losePartner(object, slot, follows: follows)
        case .toMany:
            let members = members(slot)
            guard members.contains(object) != false else { return }
            recordChange(slot)
            members.remove(object, isStored: object.hasStored(self, layout.slots[slot].inverseSlot))
        default: break
        }
    }

    /// Traps where Core Data raises: objects of another entity or another context cannot be related.
    private func adopt(_ object: NSManagedObject, _ info: Slot) {
        if let destination = info.destination {
            guard object.layout.entity === destination || object.entity.isKindOf(entity: destination) else {
                let given = object.entity.name ?? "?"
                fatalError(
                    "unacceptable type of value for the relationship \"\(info.name)\": desired entity = "
                    + "\(destination.name ?? "?"); given entity = \(given)"
                    + (given == destination.name ? " of another model: fetch the object in this context first" : ""))
            }
        }
        if context == nil || object.context == nil { return }
        guard object.context === context else {
            fatalError(
                "illegal attempt to establish a relationship \"\(info.name)\" between objects in different "
                + "contexts: fetch the object in this context first, by object(with:)")
        }
    }
}
