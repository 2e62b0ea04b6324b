#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A mutex with a condition: it guards state that threads wait for.
///
/// `Synchronization.Mutex` has no condition to wait for, so this uses pthread's
/// (https://pubs.opengroup.org/onlinepubs/9799919799/functions/pthread_cond_wait.html).
final class ConditionLock: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        // A thread that locks twice must trap with a message, not hang.
        pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ERRORCHECK))
        pthread_mutex_init(mutex, &attributes)
        pthread_mutexattr_destroy(&attributes)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Locks; false if this thread holds the lock already.
    func lockUnlessHeld() -> Bool { pthread_mutex_lock(mutex) == 0 }

    func lock() {
        guard lockUnlessHeld() else {
            fatalError("a thread must not lock what it has locked: leave the closure first")
        }
    }

    func unlock() { pthread_mutex_unlock(mutex) }

    func withLock<R>(_ body: () throws -> R) rethrows -> R {
        lock()
        defer { unlock() }
        return try body()
    }

    /// Unlocks until `signalAll`, then locks again. May return earlier for no reason.
    func wait() { pthread_cond_wait(condition, mutex) }

    /// As `wait()`, until `date` in microseconds since 1970 at the latest.
    func wait(until date: Int64) { wait(condition, until: date) }

    func signalAll() { pthread_cond_broadcast(condition) }

    /// As `wait()`, but until `condition` is signalled, or until `date` at the latest.
    func wait(for condition: Condition, until date: Int64?) { wait(condition.handle, until: date) }

    private func wait(_ condition: UnsafeMutablePointer<pthread_cond_t>, until date: Int64?) {
        guard let date else {
            pthread_cond_wait(condition, mutex)
            return
        }
        var time = timespec(tv_sec: Int(date / 1_000_000), tv_nsec: Int(date % 1_000_000) * 1000)
        pthread_cond_timedwait(condition, mutex, &time)
    }
}

/// A condition of a `ConditionLock` that one of several threads waits for, so that a signal wakes that thread only.
final class Condition: @unchecked Sendable {
    fileprivate let handle = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() { pthread_cond_init(handle, nil) }

    deinit {
        pthread_cond_destroy(handle)
        handle.deallocate()
    }

    /// Costs next to nothing if no thread waits. The thread that wakes first waits for the lock, if another holds it.
    func signal() { pthread_cond_signal(handle) }
}
