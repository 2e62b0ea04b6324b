#if canImport(Glibc)
    public import Glibc
#else
    public import Musl
#endif

/// An object that each thread has one of, for as long as the thread runs.
/// https://pubs.opengroup.org/onlinepubs/9799919799/functions/pthread_getspecific.html
@frozen
public struct ThreadLocal<Object: AnyObject>: Sendable {
    @usableFromInline let key: pthread_key_t

    public init() {
        var key = pthread_key_t()
        let status = pthread_key_create(&key) { pointer in
            if let pointer { Unmanaged<AnyObject>.fromOpaque(pointer).release() }
        }
        guard status == 0 else { fatalError("no thread-specific keys are left: \(status)") }
        self.key = key
    }

    /// This thread's object, if it has one.
    @inlinable
    public var object: Object? {
        guard let pointer = pthread_getspecific(key) else { return nil }
        return Unmanaged<Object>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Gives this thread its object. It must have none.
    public func set(_ object: Object) {
        pthread_setspecific(key, Unmanaged.passRetained(object).toOpaque())
    }
}

/// A value that is handed to another thread, or shared with it, though its type does not promise that this is safe.
///
/// The place that makes one says why it is: mostly that the giving thread waits, or does not touch the value any more.
/// A closure is transferred alone, not within a tuple: Swift 6.3.1 releases a tuple's other parts once too often.
@frozen
public struct Transferred<Value>: @unchecked Sendable {
    public let value: Value

    @inlinable
    public init(_ value: Value) { self.value = value }

    /// The value, as one that nobody else has.
    @inlinable
    public consuming func release() -> sending Value {
        nonisolated(unsafe) let value = value
        return value
    }
}

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
