import OrderedCollections
public import FirnFoundation
import FirnLog
import FirnModel
import Foundation

/// Change tracking.
extension NSManagedObject {
    /// Marks a slot as changed, and the object as updated in its context.
    final func noteChange(_ slot: Int) {
        context?.recordForUndo(self, slot)
        changed.insert(slot)
        changedInEvent.insert(slot)
        if !state.contains(.pendingUpdate) { context?.noteUpdated(self) }
    }

    /// Announces a change that is about to be made with primitive accessors.
    public func willChangeValue(forKey key: String) {
        guard let slot = layout.slot(named: key) else { return }
        if isFault { fulfill(for: key) }
        if case .toOne = layout.slots[slot].kind, layout.slots[slot].inverseSlot != nil {
            context?.changingRelationships.append(
                .init(object: self, slot: slot, old: destination(slot)))
        }
    }

    /// Ends what `willChangeValue(forKey:)` began: the change is tracked, and the inverse of a relationship kept.
    public func didChangeValue(forKey key: String) {
        guard let slot = layout.slot(named: key) else { return }
        noteChange(slot)
        guard
            let context,
            let index = context.changingRelationships.lastIndex(where: {
                $0.object === self && $0.slot == slot
            })
        else { return }
        let old = context.changingRelationships.remove(at: index).old
        let new = destination(slot)
        guard old !== new else { return }
        write(old.map(SlotValue.toOne) ?? .null, slot)
        setDestination(new, slot)
    }

    /// Announces a change of a to-many relationship that is about to be made with primitive accessors.
    public func willChangeValue(
        forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
        using inObjects: Set<AnyHashable>
    ) {
        if isFault { fulfill(for: inKey) }
    }

    /// Ends a change of a to-many relationship: it is tracked, and the inverse kept for `inObjects`.
    public func didChangeValue(
        forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
        using inObjects: Set<AnyHashable>
    ) {
        guard let slot = layout.slot(named: inKey) else { return }
        noteChange(slot)
    }

    /// Changed properties and their new values since the object was last fetched or saved. Does not fire a fault.
    public func changedValues() -> [String: Any] { values(of: changed) }

    /// Changed properties and their new values since pending changes were last processed.
    public func changedValuesForCurrentEvent() -> [String: Any] { values(of: changedInEvent) }

    private func values(of slots: SlotSet) -> [String: Any] {
        var result: [String: Any] = [:]
        slots.forEach { slot in
            let info = layout.slots[slot]
            if case .position = info.kind { return }
            if info.isCompositeLeaf { return }
            result[info.name] = anyValue(slot) ?? NSNull()
        }
        return result
    }

    /// Values as they were last fetched or saved, for these keys, or for all properties with `nil`. Nulls are `NSNull`.
    public func committedValues(forKeys keys: [String]?) -> [String: Any] {
        if isFault { fulfill(for: nil) }
        var result: [String: Any] = [:]
        let slots =
            keys?.compactMap { layout.slot(named: $0) }
            ?? layout.slots.filter { $0.isPublicProperty }.map(\.index)
        for slot in slots { result[layout.slots[slot].name] = committedValue(slot) ?? NSNull() }
        return result
    }

    private func committedValue(_ slot: Int) -> Any? {
        if case .toMany(let toMany) = layout.slots[slot].kind {
            let members = members(slot)
            _ = members.members { self.storedMembers(slot) }
            let objects = (members.base ?? []).map(\.object)
            return toMany.isOrdered ? NSOrderedSet(array: objects) : NSSet(array: objects)
        }
        let kept = values
        values = []
        defer { values = kept }
        return anyValue(slot)
    }

    /// Whether the value now differs from the snapshot's.
    final func differsFromSnapshot(_ slot: Int) -> Bool {
        guard let snapshot else { return true }
        guard !values.isEmpty, !values[slot].isUnset else { return false }
        switch values[slot] {
        case .toMany(let members): return members.isChanged
        case .toOne(let object):
            guard case .reference(let key) = snapshot.value(slot) else { return true }
            return context?.key(of: object) != key
        default:
            let stored = try? AttributeCoding.stored(values[slot], layout.slots[slot])
            return stored != snapshot.value(slot)
        }
    }
}
