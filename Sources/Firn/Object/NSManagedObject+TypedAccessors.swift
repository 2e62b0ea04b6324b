import FirnModel
import FirnRuntime
import Foundation
import FirnProjection

/// Accessors of `@NSManaged` properties of the common types: the value goes between the
/// object and the property as it is, without a box and without a cast. Where the model keeps the property in another
/// form, these do what `managedValue(_:)` and `setManagedValue(_:_:)` do. O(1), but for a fault, which is read first.
///
/// The property is one of `ManagedProperty`'s rows. Names differ by type: overloads that differ in their result alone
/// are ambiguous for `Any`.
extension NSManagedObject {
    /// 0 where there is no value.
    final func managedInteger(_ row: AccessorRow) -> Int64 {
        let property = ManagedProperty.at(row)
        if let slot = property.pointee.slot(in: layout) {
            if let value = quickInteger(slot) ?? (fires(for: slot) ? quickInteger(slot) : nil) { return value }
            switch read(slot) {
            case .integer(let value): return value
            case .null: return 0
            default: break
            }
        }
        return managedValue(property.pointee.key)
    }

    /// Reads the row of a fault, of which no partly fetched row tells the property. Whether there was one to read.
    @inline(__always)
    private final func fires(for slot: Int) -> Bool {
        guard isFault, partialRow(slot) == nil else { return false }
        checkQueue()
        fulfill(for: nil)
        return true
    }

    final func setManagedInteger(_ value: Int64, _ row: AccessorRow) {
        let property = ManagedProperty.at(row)
        guard let slot = property.pointee.slot(in: layout), layout.slots[slot].keepsIntegers else {
            return setManagedValue(value, property.pointee.key)
        }
        store(.integer(value), slot)
    }

    /// False where there is no value.
    final func managedBoolean(_ row: AccessorRow) -> Bool {
        let slot = ManagedProperty.at(row).pointee.slot(in: layout)
        if let value = slot.flatMap({ quickInteger($0) }) { return value != 0 }
        return get(row, none: false) { if case .integer(let value) = $0 { value != 0 } else { nil } }
    }

    final func setManagedBoolean(_ value: Bool, _ row: AccessorRow) {
        set(value, row, as: .booleanAttributeType) { .integer($0 ? 1 : 0) }
    }

    /// 0 where there is no value. A date is given in seconds since 2001, as Core Data's scalar accessors do.
    final func managedReal(_ row: AccessorRow) -> Double {
        let property = ManagedProperty.at(row)
        if let slot = property.pointee.slot(in: layout) {
            if let value = quickReal(slot) ?? (fires(for: slot) ? quickReal(slot) : nil) { return value }
            switch read(slot) {
            case .real(let value): return value
            case .null: return 0
            default: break
            }
        }
        return managedValue(property.pointee.key)
    }

    final func setManagedReal(_ value: Double, _ row: AccessorRow) {
        let property = ManagedProperty.at(row)
        guard let slot = property.pointee.slot(in: layout) else { return setManagedValue(value, property.pointee.key) }
        switch layout.slots[slot].attributeType {
        case .doubleAttributeType, .dateAttributeType: store(.real(value), slot)
        case .floatAttributeType: store(.real(Double(Float(value))), slot)
        default: setManagedValue(value, property.pointee.key)
        }
    }

    final func managedText(_ row: AccessorRow) -> String? {
        get(row, none: nil) { if case .text(let value) = $0 { value } else { nil } }
    }

    final func setManagedText(_ value: String?, _ row: AccessorRow) {
        set(value, row, as: .stringAttributeType) { $0.map(SlotValue.text) ?? .null }
    }

    final func managedDate(_ row: AccessorRow) -> Date? {
        let property = ManagedProperty.at(row)
        if let slot = property.pointee.slot(in: layout),
            layout.slots[slot].attributeType == .dateAttributeType
        {
            if let value = quickReal(slot) { return Date(timeIntervalSinceReferenceDate: value) }
            switch read(slot) {
            case .real(let value): return Date(timeIntervalSinceReferenceDate: value)
            case .null: return nil
            default: break
            }
        }
        return managedValue(property.pointee.key)
    }

    final func setManagedDate(_ value: Date?, _ row: AccessorRow) {
        set(value, row, as: .dateAttributeType) { $0.map { .real($0.timeIntervalSinceReferenceDate) } ?? .null }
    }

    final func managedData(_ row: AccessorRow) -> Data? {
        get(row, none: nil) { if case .blob(let value) = $0 { value } else { nil } }
    }

    final func setManagedData(_ value: Data?, _ row: AccessorRow) {
        set(value, row, as: .binaryDataAttributeType) { $0.map(SlotValue.blob) ?? .null }
    }

    /// The value of an attribute as `held` finds it, `none` without one. What the model keeps in another form is
    /// converted.
    @inline(__always)
    private func get<Value>(_ row: AccessorRow, none: Value, _ held: (SlotValue) -> Value?) -> Value {
        let property = ManagedProperty.at(row)
        if let slot = property.pointee.slot(in: layout) {
            let value = read(slot)
            if case .null = value { return none }
            if let value = held(value) { return value }
        }
        return managedValue(property.pointee.key)
    }

    /// Sets an attribute of `type`. What the model keeps in another form is converted.
    @inline(__always)
    private func set<Value>(
        _ value: Value, _ row: AccessorRow, as type: NSAttributeType, _ held: (Value) -> SlotValue
    ) {
        let property = ManagedProperty.at(row)
        guard let slot = property.pointee.slot(in: layout), layout.slots[slot].attributeType == type else {
            return setManagedValue(value, property.pointee.key)
        }
        store(held(value), slot)
    }

    /// Sets the object at the other end of a to-one relationship.
    final func setManagedDestination(_ value: NSManagedObject?, _ row: AccessorRow) {
        let property = ManagedProperty.at(row)
        guard let slot = property.pointee.slot(in: layout), layout.slots[slot].isToOne else {
            return setManagedValue(value, property.pointee.key)
        }
        setDestination(value, slot)
    }

    /// An attribute of its own type is changed.
    @inline(__always)
    final func store(_ value: SlotValue, _ slot: Int) {
        if isFault { fulfill(for: layout.slots[slot].name) }
        recordChange(slot)
        write(value, slot)
    }

    /// A number that can be had without a fault, a conversion or a reference; else nil, and the usual way is taken.
    @inline(__always)
    final func quickInteger(_ slot: Int) -> Int64? {
        if state.contains(.fault) { return nil }
        if !values.isEmpty {
            if QueueCheck.isOn { return nil }
            if let value = values.integer(slot) { return value }
            guard values.isUnset(slot) else { return nil }
        }
        return savedInteger(slot)
    }

    /// As `quickInteger(_:)`.
    @inline(__always)
    final func quickReal(_ slot: Int) -> Double? {
        if state.contains(.fault) { return nil }
        if !values.isEmpty {
            if QueueCheck.isOn { return nil }
            if let value = values.real(slot) { return value }
            guard values.isUnset(slot) else { return nil }
        }
        return savedReal(slot)
    }
}
