/// A value whose type was looked at and is `Value`, mostly without the search that a cast is.
package func exactly<Value>(_ value: Any) -> Value {
    func opened<Stored>(_ stored: Stored) -> Value? {
        Stored.self == Value.self ? unsafeBitCast(stored, to: Value.self) : nil
    }
    if let same = _openExistential(value, do: opened) { return same }
    // It is kept as of a superclass, or in a box of its own.
    guard let cast = value as? Value else { preconditionFailure("look at the type of a value before: \(value)") }
    return cast
}
