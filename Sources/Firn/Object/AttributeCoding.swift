import FirnFoundation
import FirnLog
import FirnModel
import FirnProjection
import Foundation

/// Between the types of Apple's API, the form in which an object holds a value, and the form in which it is stored.
enum AttributeCoding {
    /// A value from the application. Traps if its type does not fit the attribute, as Core Data raises.
    static func slotValue(_ value: Any?, _ info: Slot) -> SlotValue {
        guard let value, !(type(of: value) is NSNull.Type) else { return .null }
        switch info.attributeType {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            return .integer(integer(value, info))
        case .booleanAttributeType:
            if let value = value as? Bool { return .integer(value ? 1 : 0) }
            return .integer(integer(value, info) != 0 ? 1 : 0)
        case .doubleAttributeType: return .real(real(value, info))
        case .floatAttributeType: return .real(Double(Float(real(value, info))))
        case .stringAttributeType:
            if let value = value as? String { return .text(value) }
            unacceptable(value, info, desired: "String")
        case .dateAttributeType:
            if let value = value as? Date { return .real(value.timeIntervalSinceReferenceDate) }
            unacceptable(value, info, desired: "Date")
        case .binaryDataAttributeType:
            if let value = value as? Data { return .blob(value) }
            unacceptable(value, info, desired: "Data")
        case .decimalAttributeType: return .boxed(.init(decimal(value, info)))
        case .UUIDAttributeType:
            if let value = value as? UUID { return .boxed(.init(value)) }
            unacceptable(value, info, desired: "UUID")
        case .URIAttributeType:
            if let value = value as? URL { return .boxed(.init(value)) }
            unacceptable(value, info, desired: "URL")
        default: return .boxed(.init(value))
        }
    }

    private static func integer(_ value: Any, _ info: Slot) -> Int64 {
        // The types of nearly all values; a cast to another type costs ten times as much.
        switch type(of: value) {
        case is Int64.Type: if let value = value as? Int64 { return value }
        case is Int32.Type: if let value = value as? Int32 { return Int64(value) }
        case is Int16.Type: if let value = value as? Int16 { return Int64(value) }
        default: break
        }
        if let value = value as? Int { return Int64(value) }
        if let value = value as? any BinaryInteger, let exact = Int64(exactly: value) { return exact }
        if let value = value as? NSNumber { return value.int64Value }
        if let value = value as? Bool { return value ? 1 : 0 }
        if let value = value as? Double, let exact = Int64(exactly: value.rounded(.towardZero)) {
            return exact
        }
        unacceptable(value, info, desired: "NSNumber")
    }

    private static func real(_ value: Any, _ info: Slot) -> Double {
        if let value = value as? Double { return value }
        if let value = value as? Float { return Double(value) }
        if let value = value as? NSNumber { return value.doubleValue }
        if let value = value as? any BinaryInteger { return Double(value) }
        unacceptable(value, info, desired: "NSNumber")
    }

    private static func decimal(_ value: Any, _ info: Slot) -> NSDecimalNumber {
        if let value = value as? NSDecimalNumber { return value }
        if let value = value as? Decimal { return NSDecimalNumber(decimal: value) }
        if let value = value as? NSNumber { return NSDecimalNumber(decimal: value.decimalValue) }
        if let value = value as? Int { return NSDecimalNumber(value: value) }
        if let value = value as? Double { return NSDecimalNumber(value: value) }
        unacceptable(value, info, desired: "NSDecimalNumber")
    }

    static func unacceptable(_ value: Any, _ info: Slot, desired: String) -> Never {
        fatalError(
            "unacceptable type of value for the property \"\(info.name)\": desired type = \(desired); "
                + "given type = \(type(of: value)); value = \(value)")
    }

    /// A stored text as the object holds it.
    static func slotValue(text: String, _ info: Slot) -> SlotValue {
        switch info.attributeType {
        case .decimalAttributeType: return .boxed(.init(NSDecimalNumber(decimal: Decimal(plainText: text))))
        case .URIAttributeType:
            guard let url = URL(string: text) else { return .null }
            return .boxed(.init(url))
        default: return .text(text)
        }
    }

    /// A stored blob as the object holds it.
    static func slotValue(bytes: UnsafeRawBufferPointer, _ info: Slot) -> SlotValue {
        switch info.attributeType {
        case .UUIDAttributeType:
            guard bytes.count == 16 else { return .null }
            return .boxed(.init(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))))
        case .transformableAttributeType:
            guard let value = info.unarchived(Data(bytes)) else { return .null }
            return .boxed(.init(value))
        default: return .blob(Data(bytes))
        }
    }

    /// A column of a dictionary fetch as the object that a dictionary holds: made here, as Foundation asks each value
    /// that is none for all that it could be.
    static func object(_ value: PropertyValue, _ column: DictionaryColumn, store: NSPersistentStore) -> NSObject? {
        if case .blob(let bytes) = value, let external = store.externalValue(bytes, name: column.name) {
            return external.data.map { NSData(data: $0) }
        }
        return object(value, column.kind, store)
    }

    private static func object(
        _ value: PropertyValue, _ kind: DictionaryColumn.Kind, _ store: NSPersistentStore
    ) -> NSObject? {
        switch (value, kind) {
        case (.null, _): nil
        case (.reference(let key), _): store.objectID(for: key)
        case (.integer(let value), .attribute(.boolean)): NSNumber(value: value != 0)
        case (.integer(let value), _): NSNumber(value: value)
        case (.real(let value), .attribute(.date)): NSDate(timeIntervalSinceReferenceDate: value)
        case (.real(let value), _): NSNumber(value: value)
        case (.text(let value), .attribute(.decimal)): NSDecimalNumber(decimal: Decimal(plainText: value))
        case (.text(let value), .attribute(.uri)): NSURL(string: value)
        case (.text(let value), _): NSString(string: value)
        case (.blob(let bytes), .attribute(.uuid)) where bytes.count == 16: 
            NSUUID(uuidBytes: bytes)
        case (.blob(let bytes), _): NSData(bytes: bytes, length: bytes.count)
        }
    }

    /// The stored form of what an object holds. To-one relationships are the caller's: they need a key.
    static func stored(_ value: SlotValue, _ info: Slot) throws -> PropertyValue {
        switch value {
        case .unset, .null, .toOne, .toMany: return .null
        case .integer(let value): return .integer(value)
        case .real(let value): return .real(value)
        case .text(let value): return .text(value)
        case .blob(let value): return .blob([UInt8](value))
        case .boxed(let box): return try stored(box.value, info)
        }
    }

    /// The stored form of an attribute's default value.
    static func storedDefault(_ info: Slot) throws -> PropertyValue {
        switch info.defaultValue {
        case .none: .null
        case .integer(let value): .integer(value)
        case .real(let value): .real(value)
        case .text(let value): .text(value)
        case .blob(let value): .blob(value)
        case .object(let value): try stored(.boxed(.init(value)), info)
        }
    }

    private static func stored(_ value: Any, _ info: Slot) throws -> PropertyValue {
        switch info.attributeType {
        case .decimalAttributeType:
            return .text((value as? NSDecimalNumber)?.decimalValue.plainText ?? "\(value)")
        case .UUIDAttributeType:
            guard let value = value as? UUID else { return .null }
            return withUnsafeBytes(of: value.uuid) { .blob([UInt8]($0)) }
        case .URIAttributeType: return .text((value as? URL)?.absoluteString ?? "\(value)")
        default:
            guard let data = info.archived(value) else {
                throw CoreDataError.make(
                    .managedObjectValidation,
                    "the transformer of \"\(info.name)\" gave no data for a value of type "
                        + "\(type(of: value)): use a transformer that fits it, or another value",
                    [NSValidationKeyErrorKey: info.name])
            }
            return .blob([UInt8](data))
        }
    }
}
