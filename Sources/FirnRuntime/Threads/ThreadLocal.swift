#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// An object that each thread has one of, for as long as the thread runs.
/// https://pubs.opengroup.org/onlinepubs/9799919799/functions/pthread_getspecific.html
public struct ThreadLocal<Object: AnyObject>: Sendable {
    private let key: pthread_key_t

    public init() {
        var key = pthread_key_t()
        let status = pthread_key_create(&key) { pointer in
            if let pointer { Unmanaged<AnyObject>.fromOpaque(pointer).release() }
        }
        guard status == 0 else { fatalError("no thread-specific keys are left: \(status)") }
        self.key = key
    }

    /// This thread's object, if it has one.
    public var object: Object? {
        pthread_getspecific(key).map { Unmanaged<Object>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Gives this thread its object. It must have none.
    public func set(_ object: Object) {
        pthread_setspecific(key, Unmanaged.passRetained(object).toOpaque())
    }
}
