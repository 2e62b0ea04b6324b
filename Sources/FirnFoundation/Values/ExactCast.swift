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
