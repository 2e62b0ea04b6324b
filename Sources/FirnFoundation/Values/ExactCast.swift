/// A value whose type was looked at and is `Value`, mostly without the search that a cast is.
package func exactly<Value>(_ value: Any) -> Value {
    func opened<Stored>(_ stored: Stored) -> Value {
        Stored.self == Value.self ? unsafeBitCast(stored, to: Value.self) : cast(stored)
    }
    return _openExistential(value, do: opened)
}

/// Of one that is kept as of a superclass, or in a box of its own. Apart, as it needs to know `Value?`, which the
/// runtime would look up with each call.
@inline(never)
private func cast<Value>(_ value: Any) -> Value {
    guard let cast = value as? Value else { fatalError("look at the type of a value before: \(value)") }
    return cast
}
