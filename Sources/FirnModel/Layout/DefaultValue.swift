import FirnFoundation
import Foundation

/// A default value in the form in which it is stored: four storage types, whatever the attribute's type.
///
/// Unchecked for `object` alone: objects of transformable attributes get the default itself, and must not change it.
package enum DefaultValue: @unchecked Sendable {
    case none
    /// Integers and booleans.
    case integer(Int64)
    /// Doubles, floats, and dates as seconds since 2001.
    case real(Double)
    /// Strings, URIs, and decimals in their shortest form.
    case text(String)
    /// Data and UUIDs.
    case blob([UInt8])
    /// The value of a transformable attribute, not transformed.
    case object(Any)

    /// `value` as an attribute of `type` stores it; nil if it is not of that type.
    package init?(_ value: Any?, type: NSAttributeType) {
        guard let value, !(value is NSNull) else {
            self = .none
            return
        }
        guard let converted = Self.convert(value, type) else { return nil }
        self = converted
    }

    private static func convert(_ value: Any, _ type: NSAttributeType) -> DefaultValue? {
        switch type {
        case .integer16AttributeType: integerValue(value, Int64(Int16.min)...Int64(Int16.max))
        case .integer32AttributeType: integerValue(value, Int64(Int32.min)...Int64(Int32.max))
        case .integer64AttributeType: integerValue(value, Int64.min...Int64.max)
        case .booleanAttributeType:
            (value as? Bool).map { .integer($0 ? 1 : 0) } ?? integerValue(value, 0...1)
        case .doubleAttributeType: realValue(value)
        case .floatAttributeType:
            (value as? NSNumber).map { .real(Double(Float($0.nearestDouble))) } ?? realValue(value)
        case .decimalAttributeType: decimalValue(value)
        case .stringAttributeType: (value as? String).map { .text($0) }
        case .dateAttributeType: (value as? Date).map { .real($0.timeIntervalSinceReferenceDate) }
        case .binaryDataAttributeType: (value as? Data).map { .blob([UInt8]($0)) }
        case .UUIDAttributeType:
            (value as? UUID).map { id in withUnsafeBytes(of: id.uuid) { .blob([UInt8]($0)) } }
        case .URIAttributeType: (value as? URL).map { .text($0.absoluteString) }
        case .transformableAttributeType, .undefinedAttributeType, .objectIDAttributeType,
            .compositeAttributeType:
            .object(value)
        }
    }

    private static func integerValue(_ value: Any, _ range: ClosedRange<Int64>) -> DefaultValue? {
        let number: Int64? =
            switch value {
            case let value as NSNumber: value.int64Value
            case let value as any BinaryInteger: Int64(exactly: value)
            default: nil
            }
        return number.flatMap { range.contains($0) ? .integer($0) : nil }
    }

    private static func realValue(_ value: Any) -> DefaultValue? {
        switch value {
        case let value as NSNumber: .real(value.nearestDouble)
        case let value as any BinaryFloatingPoint: .real(Double(value))
        case let value as any BinaryInteger: .real(Double(value))
        default: nil
        }
    }

    private static func decimalValue(_ value: Any) -> DefaultValue? {
        switch value {
        case let value as Decimal: .text(value.description)
        case let value as NSDecimalNumber: .text(value.decimalValue.description)
        case let value as NSNumber: .text(NumericValue(value).decimalValue.description)
        case let value as any BinaryInteger: .text("\(value)")
        default: nil
        }
    }
}

/// The value of a composite attribute: a dictionary of its elements. An element that is composite is a dictionary in
/// it.
///
/// Columns, predicates and histories name an element by its path, `place.geo.latitude`; here it is what follows the
/// composite's own name, `geo.latitude`. A dictionary may also have an element under its whole path.
package enum CompositeValue {
    /// The element at a path; nil if there is none.
    package static func element(at path: some StringProtocol, of elements: [String: Any]) -> Any? {
        if let value = elements[String(path)] { return value }
        guard let dot = path.firstIndex(of: "."), let inner = elements[String(path[..<dot])] as? [String: Any] else {
            return nil
        }
        return element(at: path[path.index(after: dot)...], of: inner)
    }

    /// Sets the element at a path. Nil takes it out, and a dictionary that has nothing left.
    package static func set(_ value: Any?, at path: some StringProtocol, in elements: inout [String: Any]) {
        guard let dot = path.firstIndex(of: ".") else {
            elements[String(path)] = value
            return
        }
        let name = String(path[..<dot])
        var inner = elements[name] as? [String: Any] ?? [:]
        set(value, at: path[path.index(after: dot)...], in: &inner)
        elements[name] = inner.isEmpty ? nil : inner
    }
}

/// The name of a value that a change states: of a property, or `place.city` for an element of a composite attribute.
package struct StatedName {
    /// The property.
    package let property: String
    /// The path in the composite attribute's dictionary; nil for the property's value as a whole.
    private let element: String?

    package init(_ name: String) {
        let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
        property = parts[0]
        element = parts.count > 1 ? parts[1] : nil
    }

    /// The value that is named, of the property's value.
    package func value(in whole: Any?) -> Any? {
        guard let element else { return whole }
        return (whole as? [String: Any]).flatMap { CompositeValue.element(at: element, of: $0) }
    }

    /// The property's value with another value where this names one; nil if a composite has no element any more.
    package func set(_ value: Any?, in whole: Any?) -> Any? {
        guard let element else { return value }
        var elements = whole as? [String: Any] ?? [:]
        CompositeValue.set(value, at: element, in: &elements)
        return elements.isEmpty ? nil : elements
    }
}
