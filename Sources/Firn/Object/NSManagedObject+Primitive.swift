public import FirnModel
import Foundation

/// Access below the notifications, for accessors that an application writes itself.
extension NSManagedObject {
    /// The value of a property, without telling anyone. Fires a fault.
    public func primitiveValue(forKey key: String) -> Any? { anyValue(knownSlot(key)) }

    /// Sets a value without tracking a change and without keeping the inverse of a relationship.
    public func setPrimitiveValue(_ value: Any?, forKey key: String) {
        let slot = knownSlot(key)
        let info = layout.slots[slot]
        if isFault { fulfill(for: key) }
        switch info.kind {
        case .attribute: write(AttributeCoding.slotValue(value, info), slot)
        case .toOne:
            let object = value as? NSManagedObject
            precondition(
                value == nil || value is NSNull || object != nil,
                "\"\(key)\" of \(entity.name ?? "?") takes an NSManagedObject")
            write(object.map(SlotValue.toOne) ?? .null, slot)
        default: setAnyValue(value, slot)
        }
    }

    private func knownSlot(_ key: String) -> Int {
        guard let slot = layout.slot(named: key) else {
            preconditionFailure(
                "the entity \(entity.name ?? "?") has no property \"\(key)\": primitive values are those "
                    + "of modeled properties")
        }
        return slot
    }

    /// The IDs of the objects in a relationship. Does not make faults of them real.
    public func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
        let slot = knownSlot(key)
        switch layout.slots[slot].kind {
        case .toOne: return destination(slot).map { [$0.objectID] } ?? []
        case .toMany: return memberObjects(slot).map(\.objectID)
        default: preconditionFailure("\"\(key)\" of \(entity.name ?? "?") is not a relationship")
        }
    }

    /// Whether reading the relationship would need the store. Does not fire the fault.
    public func hasFault(forRelationshipNamed key: String) -> Bool {
        let slot = knownSlot(key)
        if isFault { return true }
        guard case .toMany = layout.slots[slot].kind else { return false }
        guard !values.isEmpty, case .toMany(let members) = values[slot] else { return snapshot != nil }
        return !members.isLoaded
    }
}
