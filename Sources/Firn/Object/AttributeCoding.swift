import FirnStore
import FirnFoundation
import FirnModel
import Foundation

/// Converts between the types of Apple's API, the form in which an object holds a value, and the stored form.
enum AttributeCoding {
    /// A value from the application. Stops the program if its type does not fit the attribute, where Core Data raises.
    static func slotValue(_ value: Any?, _ info: Slot) -> SlotValue {
        guard let value, !(type(of: value) is NSNull.Type) else { return .null }
        switch info.attributeType {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            return .integer(ValueCoding.integer(value, info))
        case .booleanAttributeType: return .integer(ValueCoding.boolean(value, info) ? 1 : 0)
        case .doubleAttributeType: return .real(ValueCoding.real(value, info))
        case .floatAttributeType: return .real(Double(Float(ValueCoding.real(value, info))))
        case .stringAttributeType: return .text(ValueCoding.text(value, info))
        case .dateAttributeType: return .real(ValueCoding.date(value, info).timeIntervalSinceReferenceDate)
        case .binaryDataAttributeType: return .blob(ValueCoding.data(value, info))
        default: return .boxed(.init(ValueCoding.object(value, info)))
        }
    }

    /// A stored value as an object holds it. Null for a reference, which only a store can resolve.
    static func slotValue(_ value: PropertyValue, _ info: Slot) -> SlotValue {
        switch value {
        case .null, .reference: .null
        case .integer(let value): .integer(value)
        case .real(let value): .real(value)
        case .text(let value): slotValue(text: value, info)
        case .blob(let bytes): bytes.withUnsafeBytes { slotValue(bytes: $0, info) }
        }
    }

    /// The default value as an object holds it.
    static func defaultValue(_ info: Slot) -> SlotValue {
        if case .object(let value) = info.defaultValue { return .boxed(.init(value)) }
        return (try? ValueCoding.storedDefault(info)).map { slotValue($0, info) } ?? .null
    }

    /// A stored text as an object holds it.
    static func slotValue(text: String, _ info: Slot) -> SlotValue {
        switch info.attributeType {
        case .decimalAttributeType, .URIAttributeType:
            ValueCoding.object(text: text, info).map { .boxed(.init($0)) } ?? .null
        default: .text(text)
        }
    }

    /// A stored blob as an object holds it.
    static func slotValue(bytes: UnsafeRawBufferPointer, _ info: Slot) -> SlotValue {
        switch info.attributeType {
        case .UUIDAttributeType, .transformableAttributeType:
            ValueCoding.object(bytes: bytes, info).map { .boxed(.init($0)) } ?? .null
        default: .blob(Data(bytes))
        }
    }

    /// The stored form of what an object holds. To-one relationships are the caller's: they need a key.
    static func stored(_ value: SlotValue, _ info: Slot) throws -> PropertyValue {
        switch value {
        case .unset, .null, .toOne, .toMany: .null
        case .integer(let value): .integer(value)
        case .real(let value): .real(value)
        case .text(let value): .text(value)
        case .blob(let value): .blob([UInt8](value))
        case .boxed(let box): try ValueCoding.storedObject(box.value, info)
        }
    }
}
