package import Foundation

/// A value of an attribute, as a front of the engine reads and sets it that knows the attribute's type: no box around
/// a number, a text or bytes.
package enum AttributeValue {
    case null
    /// A whole number, or 0 and 1 for a truth value.
    case integer(Int64)
    /// A real number, or seconds since 2001 for a date.
    case real(Double)
    case text(String)
    case blob(Data)
    /// A value of another type: a UUID, a URL, a decimal number, a transformed object.
    indirect case object(Any)

    package var isNull: Bool { if case .null = self { true } else { false } }

    /// A value of another type.
    package var object: Any? { if case .object(let value) = self { value } else { nil } }
}

extension NSManagedObject {
    /// The value of an attribute that is not composite. Fires a fault. O(1) but for that.
    package final func plainValue(at place: borrowing SlotLookup) -> AttributeValue {
        let slot = plainSlot(place)
        if let value = quickInteger(slot) { return .integer(value) }
        if let value = quickReal(slot) { return .real(value) }
        return switch read(slot) {
        case .unset, .null: .null
        case .integer(let value): .integer(value)
        case .real(let value): .real(value)
        case .text(let value): .text(value)
        case .blob(let value): .blob(value)
        case .boxed(let box): .object(box.value)
        case .toOne, .toMany: fatalError("\"\(place.key)\" of \(entity.name ?? "?") is a relationship")
        }
    }

    /// The whole number of an attribute; nil where it has none, or a value of another type. Fires a fault.
    package final func plainInteger(at place: borrowing SlotLookup) -> Int64? {
        let slot = plainSlot(place)
        if let value = quickInteger(slot) { return value }
        return if case .integer(let value) = read(slot) { value } else { nil }
    }

    /// The real number of an attribute; nil where it has none, or a value of another type. Fires a fault.
    package final func plainReal(at place: borrowing SlotLookup) -> Double? {
        let slot = plainSlot(place)
        if let value = quickReal(slot) { return value }
        return if case .real(let value) = read(slot) { value } else { nil }
    }

    /// The text of an attribute; nil where it has none, or a value of another type. Fires a fault.
    package final func plainText(at place: borrowing SlotLookup) -> String? {
        if case .text(let value) = read(plainSlot(place)) { value } else { nil }
    }

    /// Sets an attribute that is not composite, as `setValue(_:forKey:)` does. The value is of the attribute's type.
    package final func setPlainValue(_ value: AttributeValue, at place: borrowing SlotLookup) {
        let slot = plainSlot(place)
        switch value {
        case .null: store(.null, slot)
        case .integer(let value): store(.integer(value), slot)
        case .real(let value): store(.real(value), slot)
        case .text(let value): store(.text(value), slot)
        case .blob(let value): store(.blob(value), slot)
        case .object(let value): setAnyValue(value, slot)
        }
    }

    @inline(__always)
    private func plainSlot(_ place: borrowing SlotLookup) -> Int {
        guard let slot = place.slot(in: layout) else {
            fatalError("the entity \(entity.name ?? "?") has no attribute \"\(place.key)\": it is of another model")
        }
        return slot
    }
}
