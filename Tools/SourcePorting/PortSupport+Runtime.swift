extension PortSupport {
    /// The lock of `os` as a structure. Memory of zeros is an unlocked mutex on Linux, as it is an unlocked lock there.
    static let unfairLockText = """
        public struct os_unfair_lock {
            fileprivate var mutex = pthread_mutex_t()
            fileprivate var owner: pthread_t?
            public init() {}
        }

        public typealias os_unfair_lock_s = os_unfair_lock
        public typealias os_unfair_lock_t = UnsafeMutablePointer<os_unfair_lock>

        func os_unfair_lock_lock(_ lock: os_unfair_lock_t) {
            pthread_mutex_lock(&lock.pointee.mutex)
            lock.pointee.owner = pthread_self()
        }

        func os_unfair_lock_trylock(_ lock: os_unfair_lock_t) -> Bool {
            guard pthread_mutex_trylock(&lock.pointee.mutex) == 0 else { return false }
            lock.pointee.owner = pthread_self()
            return true
        }

        func os_unfair_lock_unlock(_ lock: os_unfair_lock_t) {
            lock.pointee.owner = nil
            pthread_mutex_unlock(&lock.pointee.mutex)
        }

        func os_unfair_lock_assert_owner(_ lock: os_unfair_lock_t) {
            precondition(lock.pointee.owner == pthread_self(), "another thread has the lock, or none")
        }

        func os_unfair_lock_assert_not_owner(_ lock: os_unfair_lock_t) {
            precondition(lock.pointee.owner != pthread_self(), "this thread has the lock")
        }

        """

    /// Values of objects. Those of objects that are gone are released later, when values of others are set.
    static let associatedObjectText = """
        private final class PortedAssociations: @unchecked Sendable {
            static let shared = PortedAssociations()
            private let lock = NSRecursiveLock()
            private var entries: [ObjectIdentifier: Entry] = [:]
            private var countMax = 32

            private struct Entry {
                weak var object: AnyObject?
                var values: [UnsafeRawPointer: () -> Any?] = [:]
            }

            func value(of object: AnyObject, _ key: UnsafeRawPointer) -> Any? {
                lock.withLock {
                    guard let entry = entries[ObjectIdentifier(object)], entry.object != nil else { return nil }
                    return entry.values[key]?()
                }
            }

            func set(_ value: (() -> Any?)?, of object: AnyObject, _ key: UnsafeRawPointer) {
                let released = lock.withLock {
                    let id = ObjectIdentifier(object)
                    var released = [entries[id]]
                    if entries[id]?.object == nil { entries[id] = Entry(object: object) }
                    entries[id]?.values[key] = value
                    guard entries.count > countMax else { return released }
                    released += entries.values.filter { $0.object == nil }
                    entries = entries.filter { $0.value.object != nil }
                    countMax = max(32, 2 * entries.count)
                    return released
                }
                // Objects may end with their values, after the lock.
                withExtendedLifetime(released) {}
            }
        }

        public enum objc_AssociationPolicy {
            case OBJC_ASSOCIATION_ASSIGN, OBJC_ASSOCIATION_RETAIN_NONATOMIC, OBJC_ASSOCIATION_COPY_NONATOMIC
            case OBJC_ASSOCIATION_RETAIN, OBJC_ASSOCIATION_COPY
        }

        func objc_getAssociatedObject(_ object: Any, _ key: UnsafeRawPointer) -> Any? {
            PortedAssociations.shared.value(of: object as AnyObject, key)
        }

        func objc_setAssociatedObject(
            _ object: Any, _ key: UnsafeRawPointer, _ value: Any?, _ policy: objc_AssociationPolicy
        ) {
            var content = value.map { value in { () -> Any? in value } }
            if let value, policy == .OBJC_ASSOCIATION_ASSIGN {
                content = { [weak held = value as AnyObject] in held }
            }
            PortedAssociations.shared.set(content, of: object as AnyObject, key)
        }

        """

    /// The label of a queue, or of the one that runs.
    static let queueLabelText = """
        @_silgen_name("dispatch_queue_get_label")
        private func portedQueueLabel(_ queue: UnsafeRawPointer?) -> UnsafePointer<CChar>

        func __dispatch_queue_get_label(_ queue: DispatchQueue?) -> UnsafePointer<CChar> {
            guard let queue else { return portedQueueLabel(nil) }
            return UnsafePointer(strdup(queue.label)!)
        }

        """
}
