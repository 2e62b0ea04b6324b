import FirnModel
import Foundation

/// Access below the notifications, for accessors that an application writes itself.
extension NSManagedObject {
    final func setPrimitive(_ value: Any?, _ key: String) {
        let slot = knownSlot(key)
        let info = layout.slots[slot]
        if isFault { fulfill(for: key) }
        switch info.kind {
        case .attribute:
            write(AttributeCoding.slotValue(value, info), slot)
            // Saved with the next change of the object, and no change of it by itself.
            if !info.isTransient { changed.insert(slot) }
        case .toOne:
            let object = value as? NSManagedObject
            guard value == nil || value is NSNull || object != nil else {
                fatalError("\"\(key)\" of \(entity.name ?? "?") takes an NSManagedObject")
            }
            write(object.map(SlotValue.toOne) ?? .null, slot)
        default: setAnyValue(value, slot)
        }
    }

    final func knownSlot(_ key: String) -> Int {
        guard let slot = layout.slot(named: key) else {
            fatalError(
                "the entity \(entity.name ?? "?") has no property \"\(key)\": primitive values are those "
                    + "of modeled properties")
        }
        return slot
    }

    final func relatedIDs(_ key: String) -> [NSManagedObjectID] {
        let slot = knownSlot(key)
        switch layout.slots[slot].kind {
        case .toOne: return destination(slot).map { [$0.objectID] } ?? []
        case .toMany: return memberObjects(slot).map(\.objectID)
        default: fatalError("\"\(key)\" of \(entity.name ?? "?") is not a relationship")
        }
    }

    final func isUnread(_ key: String) -> Bool {
        isUnread(knownSlot(key))
    }

    /// Whether the property's value, or the members of the relationship, have still to be read.
    final func isUnread(_ slot: Int) -> Bool {
        if isFault { return true }
        guard case .toMany = layout.slots[slot].kind else { return false }
        guard !values.isEmpty, case .toMany(let members) = values[slot] else { return snapshot != nil }
        return !members.isLoaded
    }
}
