import FirnFoundation
import FirnStore
import FirnRuntime
import FirnModel
import Foundation

/// Reading and writing slots: the one path that key-value coding, typed accessors and the context itself take.
extension NSManagedObject {
    /// The object's value for a slot now: never `unset`. Fires a fault; registers a to-one's destination.
    final func read(_ slot: Int) -> SlotValue {
        checkQueue()
        if state.contains(.fault) {
            if let row = partialRow(slot) { return value(slot, of: row) }
            fulfill(for: nil)
        }
        if !values.isEmpty {
            let value = values[slot]
            if !value.isUnset { return value }
        }
        if case .toMany = layout.slots[slot].kind { return .toMany(members(slot)) }
        return value(slot, of: snapshot)
    }

    private func value(_ slot: Int, of snapshot: Snapshot?) -> SlotValue {
        let info = layout.slots[slot]
        guard let snapshot else { return .null }
        guard let column = snapshot.column(slot) else {
            return info.isTransient ? AttributeCoding.defaultValue(info) : .null
        }
        switch column.onlyNumber {
        case .integer(let value)?: return .integer(value)
        case .real(let value)?: return .real(value)
        case nil: break
        }
        switch column.values {
        case .touched: return .null
        case .integers(let values): return .integer(values[snapshot.row])
        case .reals(let values): return .real(values[snapshot.row])
        case .texts(let runs):
            return AttributeCoding.slotValue(text: runs.text(at: snapshot.row), info)
        case .blobs(let runs):
            if snapshot.isOfStore,
                let external = runs.withBytes(at: snapshot.row, { store?.externalValue($0, info) })
            {
                guard case .success(let data) = external else { return .null }
                let value = data.slotValue(info)
                cache(value, slot)
                return value
            }
            let value = runs.withBytes(at: snapshot.row) { AttributeCoding.slotValue(bytes: $0, info) }
            if case .boxed = value, info.attributeType == .transformableAttributeType {
                cache(value, slot)
            }
            return value
        case .references(let keys, let entities):
            let key = ObjectKey(entity: entities[snapshot.row], primaryKey: keys[snapshot.row])
            guard let context else { return .null }
            let id = snapshot.identity(slot)
            let object = id.map(context.object(with:)) ?? context.object(for: key, inStoreOf: self)
            if info.isOneToOne, let inverse = info.inverseSlot, object.isUnlinked(from: self, inverse) { return .null }
            return .toOne(object)
        }
    }

    /// Puts a value in place without tracking a change.
    @inline(__always)
    final func write(_ value: SlotValue, _ slot: Int) {
        if values.isEmpty { makeValues() }
        values.set(value, slot)
    }

    @inline(never)
    private func makeValues() {
        values = SlotValues(unset: layout.places)
    }

    private func cache(_ value: SlotValue, _ slot: Int) { write(value, slot) }

    /// The members of a to-many relationship; made, not loaded, when first asked for.
    final func members(_ slot: Int) -> Members {
        checkQueue()
        if state.contains(.fault) { fulfill(for: nil) }
        if !values.isEmpty, case .toMany(let members) = values[slot] { return members }
        let info = layout.slots[slot]
        let made = Members(
            isOrdered: info.toMany?.isOrdered ?? false, isStored: !info.isTransient,
            base: snapshot == nil || info.isTransient ? [] : nil)
        write(.toMany(made), slot)
        return made
    }

    /// The objects in a to-many relationship, read if they are not known yet.
    final func memberObjects(_ slot: Int) -> [NSManagedObject] { loadedMembers(slot).map(\.object) }

    final func loadedMembers(_ slot: Int) -> MemberList<ObjectReference> {
        members(slot).members { self.storedMembers(slot) }
    }

    final func storedMembers(_ slot: Int) -> Members.Loaded {
        guard let context, snapshot != nil, !layout.slots[slot].isTransient else { return Members.Loaded() }
        let stored = context.storedMembers(of: self, slot)
        guard let inverse = layout.slots[slot].inverseSlot else { return Members.Loaded(stored: stored) }
        if layout.slots[slot].toMany?.hasLinks == true { discardEmptyChanges(slot, inverse, stored) }
        let left = stored.filter { $0.hasLeft(self, inverse) }
        if !left.isEmpty { context.ownersWithRemovedMembers.append(self) }
        return Members.Loaded(stored: stored, left: left)
    }

    /// Drops changes that the stored members have made true: what was added and is stored, what was removed and is not.
    /// The other side may not read its members before that is otherwise again.
    private final func discardEmptyChanges(_ slot: Int, _ inverse: Int, _ stored: [NSManagedObject]) {
        let members = members(slot)
        if !members.isChanged { return }
        let known = Set(stored.map(ObjectReference.init))
        let empty = [members.added.filter(known.contains), members.removed.filter { !known.contains($0) }]
        for member in empty.joined() where !member.object.isFault {
            member.object.members(inverse).discardChange(of: self)
        }
    }

    /// Deletions were taken back, perhaps of stored members, or of this object.
    final func reconsiderLeft() {
        for slot in values.isEmpty ? [] : layout.toManySlots {
            guard let inverse = layout.slots[slot].inverseSlot, case .toMany(let members) = values[slot] else {
                continue
            }
            let hasLost = members.reconsiderLeft { $0.state.contains(.gone) || $0.hasLeft(self, inverse) }
            if hasLost { context?.ownersWithRemovedMembers.append(self) }
        }
    }

    /// Whether this object, a stored member of the owner's, was deleted or given another owner here.
    final func hasLeft(_ owner: NSManagedObject, _ slot: Int) -> Bool {
        if state.isDisjoint(with: [.updated, .deleted]) { return false }
        // What is deleted together stays together, and comes back so when that is undone.
        if state.contains(.deleted), !owner.isDeleted { return true }
        guard case .toOne = layout.slots[slot].kind, changed.contains(slot) else { return false }
        return destination(slot) !== owner
    }

    /// The property that `set<Key>:` sets, as key-value coding looks for it: `date` for "Date".
    final func slotOfSetter(_ key: String) -> Int? {
        guard let first = key.first, first.isUppercase else { return nil }
        return layout.slot(named: first.lowercased() + key.dropFirst())
    }

    /// The object at the other end of a to-one relationship.
    final func destination(_ slot: Int) -> NSManagedObject? {
        if case .toOne(let object) = read(slot) { return object }
        return nil
    }

    /// The value in the types of Apple's API: numbers as `NSNumber`, members as `NSSet` or `NSOrderedSet`.
    final func anyValue(_ slot: Int) -> Any? {
        let info = layout.slots[slot]
        if case .composite(let leaves) = info.kind { return compositeValue(leaves, info) }
        if case .fetched = info.kind { return fetchedValue(info) }
        switch read(slot) {
        case .unset, .null: return nil
        case .integer(let value):
            return info.attributeType == .booleanAttributeType
                ? NSNumber(value: value != 0) : NSNumber(value: value)
        case .real(let value):
            switch info.attributeType {
            case .dateAttributeType: return Date(timeIntervalSinceReferenceDate: value)
            case .floatAttributeType: return NSNumber(value: Float(value))
            default: return NSNumber(value: value)
            }
        case .text(let value): return value
        case .blob(let value): return value
        case .boxed(let box): return box.value
        case .toOne(let object): return object
        case .toMany(let members): return members.collection { self.storedMembers(slot) }
        }
    }

    /// The result of a fetched property, from when it was first asked for until the object is refreshed.
    private func fetchedValue(_ info: Slot) -> Any? {
        if isFault { fulfill(for: info.name) }
        if !values.isEmpty, case .boxed(let box) = values[info.index] { return box.value }
        guard let found = context?.fetchedProperty(info, of: self) else { return nil }
        write(.boxed(.init(found)), info.index)
        return found
    }

    /// Sets a value as `setValue(_:forKey:)` does: checked, tracked, inverses kept.
    final func setAnyValue(_ value: Any?, _ slot: Int) {
        let info = layout.slots[slot]
        switch info.kind {
        case .attribute:
            if isFault { fulfill(for: info.name) }
            recordChange(slot)
            write(AttributeCoding.slotValue(value, info), slot)
        case .composite(let leaves): setComposite(value, leaves, info)
        case .toOne: setDestination(relationshipValue(value, info), slot)
        case .toMany: setMembers(relationshipValues(value, info), slot)
        case .fetched, .position:
            fatalError(
                "\"\(info.name)\" of \(entity.name ?? "?") cannot be set: it has what its fetch request finds")
        }
    }

    private func compositeValue(_ leaves: Range<Int>, _ info: Slot) -> [String: Any]? {
        var result: [String: Any] = [:]
        for leaf in leaves {
            let name = layout.slots[leaf].name.dropFirst(info.name.count + 1)
            if let value = anyValue(leaf) { CompositeValue.set(value, at: name, in: &result) }
        }
        return result.isEmpty ? nil : result
    }

    private func setComposite(_ value: Any?, _ leaves: Range<Int>, _ info: Slot) {
        guard let value else {
            for leaf in leaves { setAnyValue(nil, leaf) }
            return
        }
        guard let dictionary = value as? [String: Any] else {
            ValueCoding.unacceptable(value, info, desired: "a dictionary of its elements")
        }
        for leaf in leaves {
            let path = layout.slots[leaf].name.dropFirst(info.name.count + 1)
            setAnyValue(CompositeValue.element(at: path, of: dictionary), leaf)
        }
        recordChange(info.index)
    }

    private func relationshipValue(_ value: Any?, _ info: Slot) -> NSManagedObject? {
        guard let value = value.flatMap(valueWithoutOptionals) else { return nil }
        guard let object = value as? NSManagedObject else {
            ValueCoding.unacceptable(value, info, desired: "NSManagedObject")
        }
        return object
    }

    private func relationshipValues(_ value: Any?, _ info: Slot) -> [NSManagedObject] {
        guard let value else { return [] }
        switch value {
        case let set as NSOrderedSet: return set.map { member($0, info) }
        case let set as NSSet: return set.allObjects.map { member($0, info) }
        case let set as Set<NSManagedObject>: return Array(set)
        case let array as [NSManagedObject]: return array
        default:
            ValueCoding.unacceptable(
                value, info, desired: "NSSet, NSOrderedSet or [NSManagedObject]")
        }
    }

    private func member(_ value: Any, _ info: Slot) -> NSManagedObject {
        guard let object = value as? NSManagedObject else {
            ValueCoding.unacceptable(value, info, desired: "NSManagedObject for each member")
        }
        return object
    }
}
