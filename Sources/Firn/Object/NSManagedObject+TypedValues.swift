import FirnLog
import FirnModel
import FirnProjection
import Foundation

/// Values in their own types, for accessors of classes: no number objects, no casts.
///
/// Each gives nil for a null, and for a slot of another type; the caller then goes through key-value coding.
extension NSManagedObject {
    /// The value of an integer or boolean attribute.
    @inline(__always)
    final func typedInteger(_ slot: Int) -> Int64? {
        if state.contains(.fault) { fulfill(for: nil) }
        if !values.isEmpty {
            switch values[slot] {
            case .integer(let value): return value
            case .unset: break
            default: return nil
            }
        }
        guard let snapshot, let column = snapshot.batch.columns[slot], case .integers(let values) = column.values,
            !column.isNull(at: snapshot.row)
        else { return nil }
        return values[snapshot.row]
    }

    /// The value of a floating-point attribute, or of a date: seconds since 2001.
    @inline(__always)
    final func typedReal(_ slot: Int) -> Double? {
        if state.contains(.fault) { fulfill(for: nil) }
        if !values.isEmpty {
            switch values[slot] {
            case .real(let value): return value
            case .unset: break
            default: return nil
            }
        }
        guard let snapshot, let column = snapshot.batch.columns[slot], case .reals(let values) = column.values,
            !column.isNull(at: snapshot.row)
        else { return nil }
        return values[snapshot.row]
    }

    /// The value of a string attribute.
    final func typedText(_ slot: Int) -> String? {
        if case .text(let text) = read(slot) { return text }
        return nil
    }

    /// Sets an integer or boolean attribute; false if the slot is of another type, and nothing was set.
    final func setTyped(_ value: Int64, _ slot: Int) -> Bool {
        switch layout.slots[slot].attributeType {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            put(.integer(value), slot)
            return true
        case .booleanAttributeType:
            put(.integer(value != 0 ? 1 : 0), slot)
            return true
        default: return false
        }
    }

    /// Sets a double attribute; false if the slot is of another type, and nothing was set.
    final func setTyped(_ value: Double, _ slot: Int) -> Bool {
        guard layout.slots[slot].attributeType == .doubleAttributeType else { return false }
        put(.real(value), slot)
        return true
    }

    /// Sets a date attribute; false if the slot is of another type, and nothing was set.
    final func setTyped(_ value: Date, _ slot: Int) -> Bool {
        guard layout.slots[slot].attributeType == .dateAttributeType else { return false }
        put(.real(value.timeIntervalSinceReferenceDate), slot)
        return true
    }

    /// Sets a string attribute; false if the slot is of another type, and nothing was set.
    final func setTyped(_ value: String, _ slot: Int) -> Bool {
        guard layout.slots[slot].attributeType == .stringAttributeType else { return false }
        put(.text(value), slot)
        return true
    }

    private func put(_ value: SlotValue, _ slot: Int) {
        if state.contains(.fault) { fulfill(for: nil) }
        noteChange(slot)
        write(value, slot)
    }
}
