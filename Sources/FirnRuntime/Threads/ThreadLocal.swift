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
