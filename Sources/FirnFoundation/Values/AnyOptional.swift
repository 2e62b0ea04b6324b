import Foundation

/// An optional whose type is not known, as it comes out of reflection or of `as Any`.
package protocol AnyOptional {
    static var wrappedType: Any.Type { get }
    /// Nil, as a value of the type.
    static var nothing: Any { get }
    /// Nil on whatever layer is nil.
    var unwrapped: Any? { get }
}

extension Optional: AnyOptional {
    package static var wrappedType: Any.Type { Wrapped.self }
    package static var nothing: Any { Self.none as Any }

    package var unwrapped: Any? {
        guard let self else { return nil }
        if let inner = self as? any AnyOptional { return inner.unwrapped }
        return self
    }
}

/// The value without layers of `Optional` and `NSNull`.
package func valueWithoutOptionals(_ value: Any) -> Any? {
    // Comparing the exact type is far faster than a cast or a mirror.
    let type = Swift.type(of: value)
    if type == Int.self || type == Int64.self || type == String.self || type == Double.self || type == Bool.self
        || type == Date.self || type == NSNumber.self
    {
        return value
    }
    if value is NSNull { return nil }
    // No layer is an object.
    if type is AnyClass { return value }
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .optional else { return value }
    return mirror.children.first.flatMap { valueWithoutOptionals($0.value) }
}

/// The value as a text; nil if it is none. Mostly comparing the exact type is enough.
package func asText(_ value: Any) -> String? {
    type(of: value) == String.self ? exactly(value) as String : value as? String
}

/// Casts a value whose type the caller has compared with `Value`. Mostly it avoids the runtime's search for a
/// conversion.
package func exactly<Value>(_ value: Any) -> Value {
    func opened<Stored>(_ stored: Stored) -> Value {
        // Safe: both types are the same, so the bits are those of a `Value`. Predicates cast each value that they
        // compare, and `as?` would take longer than the comparison.
        Stored.self == Value.self ? unsafeBitCast(stored, to: Value.self) : cast(stored)
    }
    return _openExistential(value, do: opened)
}

/// Casts a value that is stored as a superclass or in another box. It is not inlined, because it uses `Value?`, whose
/// metadata the runtime would look up with each call.
@inline(never)
private func cast<Value>(_ value: Any) -> Value {
    guard let cast = value as? Value else { fatalError("look at the type of a value before: \(value)") }
    return cast
}
