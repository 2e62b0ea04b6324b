import FirnRuntime
import FirnStore
import FirnFoundation
import FirnModel
import Foundation

/// A to-one relationship whose new destination is not known yet.
struct ChangingRelationship {
    let object: NSManagedObject
    let slot: Int
    let old: NSManagedObject?
}

/// Change tracking.
extension NSManagedObject {
    /// Marks a slot as changed, and the object as updated in its context.
    final func recordChange(_ slot: Int) {
        checkQueue()
        recordForUndo(slot)
        contextReference?.with { $0.valueChanges &+= 1 }
        changed.insert(slot)
        changedInEvent.insert(slot)
        // An object that a merge told of as inserted is changed like any other.
        if !state.contains(.pendingUpdate), !state.isSuperset(of: [.inserted, .pendingInsert]) {
            context?.recordUpdate(self)
        }
    }

    private func recordForUndo(_ slot: Int) {
        // Counting references to the context, which others hold weakly, would cost more than all else here.
        if contextReference?.with({ $0.recordsUndo }) == true { context?.recordForUndo(self, slot) }
    }

    final func beginChange(_ key: String) {
        guard let slot = layout.slot(named: key) else { return }
        if isFault { fulfill(for: key) }
        // Now, as the primitive value is set before the change is noted.
        recordForUndo(slot)
        if case .toOne = layout.slots[slot].kind, layout.slots[slot].inverseSlot != nil {
            context?.changingRelationships.append(.init(object: self, slot: slot, old: destination(slot)))
        }
    }

    final func endChange(_ key: String) {
        guard let slot = layout.slot(named: key) else { return }
        recordChange(slot)
        guard let context,
            let index = context.changingRelationships.lastIndex(where: { $0.object === self && $0.slot == slot })
        else { return }
        let old = context.changingRelationships.remove(at: index).old
        let new = destination(slot)
        guard old !== new else { return }
        write(old.map(SlotValue.toOne) ?? .null, slot)
        setDestination(new, slot)
    }

    final func anyValues(of slots: SlotSet) -> [String: Any] {
        var result: [String: Any] = [:]
        slots.forEach { slot in
            let info = layout.slots[slot]
            if case .position = info.kind { return }
            let name = info.propertyName
            if let slot = layout.slot(named: name), result[name] == nil { result[name] = anyValue(slot) ?? NSNull() }
        }
        return result
    }

    /// The saved values of properties, null of a new object.
    final func earlierValues(of slots: SlotSet) -> [String: Any] {
        let nulls = anyValues(of: slots).mapValues { _ in NSNull() as Any }
        return nulls.merging(savedValues(Array(nulls.keys))) { $1 }
    }

    /// The slots whose values `changedValues()` gives: those with another value than the saved one, or the default.
    final var changedSlots: SlotSet {
        var result = hasChanges ? changed : SlotSet()
        guard state.contains(.inserted), snapshot == nil, !isFault, !values.isEmpty else {
            changed.forEach { if !differsFromSnapshot($0) { result.remove($0) } }
            return result
        }
        let defaults = EntityDefaults(layout)
        for slot in layout.storedSlots {
            if defaults.differ(from: values[slot], slot) { result.insert(slot) } else { result.remove(slot) }
        }
        return result
    }

    final func savedValues(_ keys: [String]?) -> [String: Any] {
        if isFault { fulfill(for: nil) }
        if snapshot == nil, state.contains(.inserted) || context == nil { return [:] }
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
        if layout.slots[slot].isToOne {
            return destination(slot, in: snapshot)
        }
        return withoutValues { anyValue(slot) }
    }

    /// Runs `body` as if the object held its snapshot alone.
    final func withoutValues<R>(_ body: () throws -> R) rethrows -> R {
        var kept = SlotValues()
        swap(&values, &kept)
        defer { swap(&values, &kept) }
        return try body()
    }

    /// Whether the value now differs from the snapshot's.
    final func differsFromSnapshot(_ slot: Int) -> Bool {
        guard let snapshot else { return true }
        guard !values.isUnset(slot) else {
            // What is read may follow from the other side.
            return layout.slots[slot].isOneToOne && !snapshot.value(slot).isNull && destination(slot) == nil
        }
        switch values[slot] {
        case .toMany(let members): return members.isChanged && members.loaded.map { $0 != members.base } ?? true
        case .toOne(let object): return storedPartner(slot) !== object
        default:
            let stored = try? AttributeCoding.stored(values[slot], layout.slots[slot])
            return stored.map { snapshot.holds($0, layout.slots[slot]) } != true
        }
    }
}
