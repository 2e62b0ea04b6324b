import protocol FirnFoundation.AnyOptional
import FirnModel
import Foundation

/// Conversions between what a property holds and the type that a class declares for it.
enum AccessorValues {
    /// A value in a type that a cast does not reach: nil as the type's own "nothing", ordered members as an array, a
    /// number as an enumeration's raw value.
    static func converted<Value>(_ value: Any?, to type: Value.Type) -> Value? {
        guard let value else { return (type as? any Emptiness.Type)?.nothing as? Value }
        if let ordered = value as? NSOrderedSet, let array = ordered.array as? Value { return array }
        if let set = value as? NSSet, let array = set.allObjects as? Value { return array }
        if let decimal = value as? NSDecimalNumber, let plain = decimal.decimalValue as? Value { return plain }
        if let wrapped = type as? any OptionalAccessor.Type {
            return wrapped.wrapping(value) as? Value
        }
        guard let raw = type as? any RawRepresentable.Type else { return nil }
        return enumeration(raw, value) as? Value
    }

    /// A value in the types that key-value coding takes: raw values of enumerations, nil out of optionals.
    static func stored<Value>(_ value: Value) -> Any? {
        // What is neither optional nor an enumeration goes as it is; asking a type what it conforms to takes time.
        if Value.self == UUID.self || Value.self == Decimal.self || Value.self == NSDecimalNumber.self { return value }
        guard let value = (value as? any AnyOptional).map(\.unwrapped) ?? value else { return nil }
        // Foundation has structures with raw values of its own; only a number or text stands for an enumeration.
        if !(value is NSObject), let raw = value as? any RawRepresentable {
            if raw.rawValue is any BinaryInteger || raw.rawValue is String { return raw.rawValue }
        }
        return value
    }

    private static func enumeration<Enumeration: RawRepresentable>(
        _ type: Enumeration.Type, _ value: Any
    ) -> Enumeration? {
        (value as? Enumeration.RawValue).flatMap(Enumeration.init(rawValue:))
    }
}

/// A type whose accessors give something where there is no value.
private protocol Emptiness {
    static var nothing: Self { get }
}

extension Int: Emptiness { fileprivate static var nothing: Int { 0 } }
extension Int8: Emptiness { fileprivate static var nothing: Int8 { 0 } }
extension Int16: Emptiness { fileprivate static var nothing: Int16 { 0 } }
extension Int32: Emptiness { fileprivate static var nothing: Int32 { 0 } }
extension Int64: Emptiness { fileprivate static var nothing: Int64 { 0 } }
extension Bool: Emptiness { fileprivate static var nothing: Bool { false } }
extension Double: Emptiness { fileprivate static var nothing: Double { 0 } }
extension Float: Emptiness { fileprivate static var nothing: Float { 0 } }
extension String: Emptiness { fileprivate static var nothing: String { "" } }
extension Array: Emptiness { fileprivate static var nothing: Self { [] } }
extension Set: Emptiness { fileprivate static var nothing: Self { [] } }
extension Dictionary: Emptiness { fileprivate static var nothing: Self { [:] } }

private protocol OptionalAccessor {
    static func wrapping(_ value: Any) -> Any?
}

extension Optional: OptionalAccessor {
    fileprivate static func wrapping(_ value: Any) -> Any? {
        AccessorValues.converted(value, to: Wrapped.self).map { Optional($0) as Any }
    }
}
