import FirnFoundation
package import FirnLog
package import FirnModel
package import Foundation

/// Converts between the types of Apple's API and the stored form of attribute values.
package enum ValueCoding {
    /// The stored form of a value that the application gave. Stops the program if its type does not fit the attribute,
    /// where Core Data raises.
    package static func stored(_ value: Any?, _ info: Slot) throws -> PropertyValue {
        guard let value, !(type(of: value) is NSNull.Type) else { return .null }
        switch info.attributeType {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            return .integer(integer(value, info))
        case .booleanAttributeType: return .integer(boolean(value, info) ? 1 : 0)
        case .doubleAttributeType: return .real(real(value, info))
        case .floatAttributeType: return .real(Double(Float(real(value, info))))
        case .stringAttributeType: return .text(text(value, info))
        case .dateAttributeType: return .real(date(value, info).timeIntervalSinceReferenceDate)
        case .binaryDataAttributeType: return .blob([UInt8](data(value, info)))
        default: return try storedObject(object(value, info), info)
        }
    }

    /// The stored form of a value that is no number, text, date or data: a decimal, a UUID, a URL, a transformed value.
    package static func storedObject(_ value: Any, _ info: Slot) throws -> PropertyValue {
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

    /// The stored form of an attribute's default value.
    package static func storedDefault(_ info: Slot) throws -> PropertyValue {
        switch info.defaultValue {
        case .none: .null
        case .integer(let value): .integer(value)
        case .real(let value): .real(value)
        case .text(let value): .text(value)
        case .blob(let value): .blob(value)
        case .object(let value): try storedObject(value, info)
        }
    }

    /// A stored value in the types of Apple's API. Nil for a reference, which only a store can resolve.
    package static func any(_ value: PropertyValue, _ info: Slot) -> Any? {
        switch value {
        case .null, .reference: nil
        case .integer(let number):
            info.attributeType == .booleanAttributeType ? NSNumber(value: number != 0) : NSNumber(value: number)
        case .real(let number):
            info.attributeType == .dateAttributeType
                ? Date(timeIntervalSinceReferenceDate: number) : NSNumber(value: number)
        case .text(let text): object(text: text, info)
        case .blob(let bytes): bytes.withUnsafeBytes { object(bytes: $0, info) }
        }
    }

    /// A stored text in the types of Apple's API.
    package static func object(text: String, _ info: Slot) -> Any? {
        switch info.attributeType {
        case .decimalAttributeType: NSDecimalNumber(decimal: Decimal(plainText: text))
        case .URIAttributeType: URL(string: text)
        default: text
        }
    }

    /// A stored blob in the types of Apple's API.
    package static func object(bytes: UnsafeRawBufferPointer, _ info: Slot) -> Any? {
        switch info.attributeType {
        case .UUIDAttributeType: bytes.count == 16 ? UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)) : nil
        case .transformableAttributeType: info.unarchived(Data(bytes))
        default: Data(bytes)
        }
    }

    /// The value of an attribute, or of an element of a composite one, which stands in the composite's dictionary.
    package static func attribute(
        _ info: Slot, _ value: (NSPropertyDescription) -> Any?, _ entity: NSEntityDescription
    ) -> Any? {
        let found: Any?
        if info.isCompositeLeaf {
            let parts = info.name.split(separator: ".", maxSplits: 1).map(String.init)
            let composite = entity.propertiesByName[parts[0]].flatMap(value) as? [String: Any]
            found = composite.flatMap { CompositeValue.element(at: parts[1], of: $0) }
        } else {
            found = value(info.property)
        }
        return found is NSNull ? nil : found
    }
}

/// The types that an attribute accepts. Each function stops the program for another type.
extension ValueCoding {
    package static func integer(_ value: Any, _ info: Slot) -> Int64 {
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
        if let value = value as? Double, let exact = Int64(exactly: value.rounded(.towardZero)) { return exact }
        unacceptable(value, info, desired: "NSNumber")
    }

    package static func boolean(_ value: Any, _ info: Slot) -> Bool { value as? Bool ?? (integer(value, info) != 0) }

    package static func real(_ value: Any, _ info: Slot) -> Double {
        if type(of: value) is AnyClass, let value = value as? NSNumber { return value.nearestDouble }
        if let value = value as? Double { return value }
        if let value = value as? Float { return Double(value) }
        if let value = value as? NSNumber { return value.doubleValue }
        if let value = value as? any BinaryInteger { return Double(value) }
        unacceptable(value, info, desired: "NSNumber")
    }

    package static func text(_ value: Any, _ info: Slot) -> String { cast(value, info) }
    package static func date(_ value: Any, _ info: Slot) -> Date { cast(value, info) }
    package static func data(_ value: Any, _ info: Slot) -> Data { cast(value, info) }

    @inline(__always)
    private static func cast<Value>(_ value: Any, _ info: Slot) -> Value {
        if let value = value as? Value { return value }
        unacceptable(value, info, desired: "\(Value.self)")
    }

    /// A value of an attribute that is no number, text, date or data.
    package static func object(_ value: Any, _ info: Slot) -> Any {
        switch info.attributeType {
        case .decimalAttributeType: return decimal(value, info)
        case .UUIDAttributeType: return cast(value, info) as UUID
        case .URIAttributeType: return cast(value, info) as URL
        default: return value
        }
    }

    private static func decimal(_ value: Any, _ info: Slot) -> NSDecimalNumber {
        if let value = value as? NSDecimalNumber { return value }
        if let value = value as? Decimal { return NSDecimalNumber(decimal: value) }
        if let value = value as? NSNumber { return NSDecimalNumber(decimal: NumericValue(value).decimalValue) }
        if let value = value as? Int { return NSDecimalNumber(value: value) }
        if let value = value as? Double { return NSDecimalNumber(decimal: NumericValue.double(value).decimalValue) }
        unacceptable(value, info, desired: "NSDecimalNumber")
    }

    package static func unacceptable(_ value: Any, _ info: Slot, desired: String) -> Never {
        fatalError(
            "unacceptable type of value for the property \"\(info.name)\": desired type = \(desired); "
                + "given type = \(type(of: value)); value = \(value)")
    }
}

extension ChangeGroup {
    /// The group of an insert or a delete without the columns that are null in every row.
    package var withoutNullColumns: ChangeGroup {
        guard operation == .insert || operation == .delete else { return self }
        let columns = operation == .insert ? new : old
        let hasNone = columns.withUnsafeBufferPointer { all in all.indices.contains { all[$0].isAllNull } }
        guard hasNone else { return self }
        let kept = columns.indices.filter { !columns[$0].isAllNull }
        var result = self
        result.slots = kept.map { slots[$0] }
        let left = kept.map { columns[$0] }
        if operation == .insert { result.new = left } else { result.old = left }
        return result
    }
}

extension Column {
    /// Whether no row has a value.
    package var isAllNull: Bool {
        if nulls.isEmpty { return count == 0 }
        return nulls.words.reduce(0) { $0 + $1.nonzeroBitCount } == count
    }
}

extension PropertyValue {
    /// Whether the stored forms are the same. As Swift's strings, é in one scalar and é in two would be equal.
    func isExactly(_ other: PropertyValue) -> Bool {
        if case .text(let text) = self, case .text(let others) = other { return text.utf8.elementsEqual(others.utf8) }
        return self == other
    }
}
