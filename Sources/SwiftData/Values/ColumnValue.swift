#if SwiftData
import Firn
import FirnModel
import Foundation

/// A type with an attribute type of its own.
protocol ColumnValue {
    static var attributeType: NSAttributeType { get }
    /// The value read from an empty column, where the type has no nil.
    static var zero: Self { get }
    /// The value that a managed object holds.
    init?(stored: Any)
    /// As a managed object holds the value.
    var stored: Any { get }
    /// The value that an attribute holds; nil for nothing, and for what is of another type.
    init?(plain: AttributeValue)
    /// As an attribute holds the value.
    var plain: AttributeValue { get }
}

extension ColumnValue {
    init?(stored: Any) {
        guard let value = stored as? Self else { return nil }
        self = value
    }

    var stored: Any { self }

    init?(plain: AttributeValue) {
        guard case .object(let value) = plain else { return nil }
        self.init(stored: value)
    }

    var plain: AttributeValue { .object(stored) }
}

/// A whole number, stored in 64 bits at most. An unsigned one of 64 bits keeps its bits: above `Int64.max` it sorts
/// as negative.
protocol IntegerColumnValue: ColumnValue, FixedWidthInteger {}

extension IntegerColumnValue {
    static var attributeType: NSAttributeType {
        switch (bitWidth, isSigned) {
        case (8, _), (16, true): .integer16AttributeType
        case (16, false), (32, true): .integer32AttributeType
        default: .integer64AttributeType
        }
    }

    static var zero: Self { 0 }
    init?(stored: Any) {
        guard let number = stored as? NSNumber else { return nil }
        self.init(truncatingIfNeeded: number.int64Value)
    }

    var stored: Any { Int64(truncatingIfNeeded: self) }
    init?(plain: AttributeValue) {
        guard case .integer(let value) = plain else { return nil }
        self.init(truncatingIfNeeded: value)
    }

    var plain: AttributeValue { .integer(Int64(truncatingIfNeeded: self)) }
}

extension Int: IntegerColumnValue {}
extension Int8: IntegerColumnValue {}
extension Int16: IntegerColumnValue {}
extension Int32: IntegerColumnValue {}
extension Int64: IntegerColumnValue {}
extension UInt: IntegerColumnValue {}
extension UInt8: IntegerColumnValue {}
extension UInt16: IntegerColumnValue {}
extension UInt32: IntegerColumnValue {}
extension UInt64: IntegerColumnValue {}

extension Bool: ColumnValue {
    static var attributeType: NSAttributeType { .booleanAttributeType }
    static var zero: Bool { false }
    init?(stored: Any) {
        guard let number = stored as? NSNumber else { return nil }
        self = number.boolValue
    }

    init?(plain: AttributeValue) {
        guard case .integer(let value) = plain else { return nil }
        self = value != 0
    }

    var plain: AttributeValue { .integer(self ? 1 : 0) }
}

extension Double: ColumnValue {
    static var attributeType: NSAttributeType { .doubleAttributeType }
    static var zero: Double { 0 }
    init?(stored: Any) {
        guard let number = stored as? NSNumber else { return nil }
        self = number.doubleValue
    }

    init?(plain: AttributeValue) {
        guard case .real(let value) = plain else { return nil }
        self = value
    }

    var plain: AttributeValue { .real(self) }
}

extension Float: ColumnValue {
    static var attributeType: NSAttributeType { .floatAttributeType }
    static var zero: Float { 0 }
    init?(stored: Any) {
        guard let number = stored as? NSNumber else { return nil }
        self = number.floatValue
    }

    init?(plain: AttributeValue) {
        guard case .real(let value) = plain else { return nil }
        self = Float(value)
    }

    var plain: AttributeValue { .real(Double(self)) }
}

extension String: ColumnValue {
    static var attributeType: NSAttributeType { .stringAttributeType }
    static var zero: String { "" }
    init?(plain: AttributeValue) {
        guard case .text(let value) = plain else { return nil }
        self = value
    }

    var plain: AttributeValue { .text(self) }
}

extension Data: ColumnValue {
    static var attributeType: NSAttributeType { .binaryDataAttributeType }
    static var zero: Data { Data() }
    init?(plain: AttributeValue) {
        guard case .blob(let value) = plain else { return nil }
        self = value
    }

    var plain: AttributeValue { .blob(self) }
}

extension Date: ColumnValue {
    static var attributeType: NSAttributeType { .dateAttributeType }
    static var zero: Date { Date(timeIntervalSinceReferenceDate: 0) }
    init?(plain: AttributeValue) {
        guard case .real(let value) = plain else { return nil }
        self.init(timeIntervalSinceReferenceDate: value)
    }

    var plain: AttributeValue { .real(timeIntervalSinceReferenceDate) }
}

extension UUID: ColumnValue {
    static var attributeType: NSAttributeType { .UUIDAttributeType }
    static var zero: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
}

extension URL: ColumnValue {
    static var attributeType: NSAttributeType { .URIAttributeType }
    static var zero: URL { URL(fileURLWithPath: "/") }
}

extension Decimal: ColumnValue {
    static var attributeType: NSAttributeType { .decimalAttributeType }
    static var zero: Decimal { 0 }
    init?(stored: Any) {
        guard let number = stored as? NSDecimalNumber else { return nil }
        self = number.decimalValue
    }

    var stored: Any { NSDecimalNumber(decimal: self) }
}

/// Values that are stored as JSON: collections, enumerations with payloads, and what `.codable` asks for.
enum EncodedValue {
    static func data(of value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return try encoder.encode(value)
    }

    static func encode<Value: Encodable>(_ value: Value) -> Data {
        do {
            return try data(of: value)
        } catch {
            fatalError("A value of \(Value.self) cannot be stored, because its encode(to:) failed: \(error)")
        }
    }

    static func read<Value: Decodable>(_ data: Data) throws -> Value {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return try decoder.decode(Value.self, from: data)
    }

    static func decode<Value: Decodable>(_ data: Data?) -> Value {
        for bytes in [data, Data("[]".utf8), Data("{}".utf8)].compactMap({ $0 }) {
            do {
                return try read(bytes)
            } catch where data == nil {
                continue
            } catch {
                fatalError("A stored value cannot be read as \(Value.self): \(error). Make the property optional.")
            }
        }
        fatalError("The store has no value, and \(Value.self) has no empty one: make the property optional.")
    }
}
#endif
