import FirnStore
import FirnModel
import FirnRuntime

/// Ending what ties objects of the context to one that another save deleted.
extension NSManagedObjectContext {
    /// Lets go of an object wherever objects in memory refer to it. The other save has done so in the store, so an
    /// object without changes of its own gets none; where this context had set the relationship, it is as stored again.
    func sever(_ object: NSManagedObject) {
        guard !object.isFault else { return }
        for info in object.layout.slots where info.isRelationship {
            guard let inverse = info.inverseSlot else { continue }
            for other in object.knownPartners(info).flatMap({ $0.map(\.object) }) where other !== object {
                other.unlinkUnsaved(object, inverse)
            }
            guard info.isToOne, let stored = object.storedPartner(info.index), stored !== object else { continue }
            // Who has it in the store, and not here, would have it again: after a rollback, or as it is gone itself.
            if info.isOneToOne { stored.unlinkPartner(object, inverse) } else { stored.unlinkMember(object, inverse) }
        }
    }

    /// As `sever`, of those objects that do not know what leads to them. O(registered objects) if there is one.
    func severAll(_ objects: [NSManagedObject]) {
        let gone = Set(objects.filter(\.hasUnreadSides).map(ObjectReference.init))
        if gone.isEmpty { return }
        for other in registry.objects where !other.isFault {
            for info in other.layout.slots where info.isRelationship && info.inverseSlot != nil {
                for list in other.knownPartners(info) {
                    let lost = list.count < gone.count ? Set(list.filter(gone.contains)) : gone.filter(list.contains)
                    for object in lost.map(\.object) where object !== other { other.unlinkUnsaved(object, info.index) }
                }
            }
        }
    }

    /// Another save deleted an object, and that stands. It keeps its values for those who hold it.
    func removeDeleted(_ object: NSManagedObject) {
        sever(object)
        updated.remove(object)
        deleted.remove(object)
        pending.updated.remove(object)
        pending.refreshed.remove(object)
        object.state.insert(.deletedRemotely)
        pending.deleted.insert(object)
    }

    /// Another save deleted an object, and that stands: it is gone here too, with what this context changed of it.
    func applyDeletion(of object: NSManagedObject) {
        removeDeleted(object)
        object.dropValues()
    }
}

extension NSManagedObject {
    /// Whether it is a fault, or has not read the members of a relationship, so that others may lead to it unknown.
    fileprivate var hasUnreadSides: Bool {
        layout.slots.contains { info in
            guard info.isRelationship, info.inverseSlot != nil else { return false }
            if isFault || info.isToOne { return isFault }
            if !values.isEmpty, case .toMany(let members) = values[info.index] { return !members.isLoaded }
            return true
        }
    }

    /// The objects at the other side of a relationship, as far as they are in memory: those read, and those now.
    fileprivate func knownPartners(_ info: Slot) -> [MemberList<ObjectReference>] {
        if info.isToOne {
            let partner = hasOwnDestination(info.index) ? destination(info.index) : storedPartner(info.index)
            return partner.map { [[ObjectReference($0)]] } ?? []
        }
        guard !values.isEmpty, case .toMany(let members) = values[info.index] else { return [] }
        return [members.base ?? [], members.loaded ?? members.added]
    }

    /// Ends a relationship to an object that is gone, without adding to the changes of this one.
    fileprivate func unlinkUnsaved(_ object: NSManagedObject, _ slot: Int) {
        if isFault || state.contains(.gone) { return }
        switch layout.slots[slot].kind {
        case .toOne:
            guard destination(slot) === object else { return }
            // Where this context had set it, it is as the store has it again, unless that leads there too.
            if !values.isEmpty { values[slot] = .unset }
            let stored = destination(slot)
            if stored === object {
                // Set here to what the store had is no change of this object's own.
                changed.remove(slot)
                return write(.null, slot)
            }
            // Deleted here, that has to end the relationship by its delete rules.
            if let stored, stored.isDeleted { context?.pending.undispatchedDeletes.append(stored) }
            reportUnlinking()
            guard let inverse = layout.slots[slot].inverseSlot, let owner = storedPartner(slot) else { return }
            owner.reconsiderMember(self, inverse)
            owner.reportUnlinking()
        case .toMany: unlinkMember(object, slot)
        default: break
        }
    }

    /// Tells observers of a relationship of which the other save knew nothing, as it was set here and not saved.
    private func reportUnlinking() { if !isFault, !isDeleted { context?.pending.refreshed.insert(self) } }

    /// As `unlinkUnsaved`, of what the row has.
    final func unlinkPartner(_ object: NSManagedObject, _ slot: Int) {
        if isFault || state.contains(.gone) || hasOwnDestination(slot) || storedPartner(slot) !== object { return }
        write(.null, slot)
    }

    fileprivate func unlinkMember(_ object: NSManagedObject, _ slot: Int) {
        guard !values.isEmpty, case .toMany(let members) = values[slot] else { return }
        if members.added.contains(ObjectReference(object)) { reportUnlinking() }
        members.discard(object)
    }
}
