/// Values of types that do not say whether they may go between threads.
///
/// `Sendable` is a marker: it has no part in how a value is laid out. Who calls this promises that nobody changes what
/// the value refers to.
public enum AssumedSendable {
    /// A value that is not changed any more.
    public static func value(_ value: Any) -> any Sendable {
        // In a box: alone, the value would be passed as one of its own type, which has another size.
        unsafeBitCast(Box(value: value), to: Box<any Sendable>.self).value
    }

    private struct Box<Value> {
        let value: Value
    }

    /// A key path without arguments, which holds nothing that could change.
    public static func keyPath<Root>(_ keyPath: PartialKeyPath<Root>) -> any PartialKeyPath<Root> & Sendable {
        unsafeBitCast(keyPath, to: (any PartialKeyPath<Root> & Sendable).self)
    }
}
