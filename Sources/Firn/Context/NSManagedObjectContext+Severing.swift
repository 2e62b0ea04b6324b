import FirnModel
import OrderedCollections

/// Ending what ties objects of the context to one that another save deleted.
extension NSManagedObjectContext {
    /// Lets go of an object wherever objects in memory refer to it. The other save has done so in the store, so an
    /// object without changes of its own gets none; where this context had set the relationship, it is as stored again.
    func sever(_ object: NSManagedObject) {
        guard !object.isFault else { return }
        for info in object.layout.slots where info.isRelationship {
            guard let inverse = info.inverseSlot else { continue }
            for other in object.knownPartners(info) where other !== object { other.letGo(object, inverse) }
        }
    }
}

extension NSManagedObject {
    /// The objects at the other side of a relationship, as far as they are in memory.
    fileprivate func knownPartners(_ info: Slot) -> [NSManagedObject] {
        switch info.kind {
        case .toOne: return destination(info.index).map { [$0] } ?? []
        case .toMany:
            guard !values.isEmpty, case .toMany(let members) = values[info.index] else { return [] }
            return (members.base ?? []).union(members.loaded ?? members.added).map(\.object)
        default: return []
        }
    }

    /// Ends a relationship to an object that is gone, without a change of this one beside those it has.
    fileprivate func letGo(_ object: NSManagedObject, _ slot: Int) {
        if isFault || state.contains(.gone) { return }
        switch layout.slots[slot].kind {
        case .toOne:
            guard destination(slot) === object else { return }
            // Where this context had set it, it is as the store has it again, unless that leads there too.
            if !values.isEmpty { values[slot] = .unset }
            if destination(slot) === object { return write(.null, slot) }
            if let inverse = layout.slots[slot].inverseSlot { destination(slot)?.reconsiderMember(self, inverse) }
        case .toMany:
            if !values.isEmpty, case .toMany(let members) = values[slot] { members.forget(object) }
        default: break
        }
    }
}
