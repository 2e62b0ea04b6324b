#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A mutex and a condition in one: what state that threads wait for is guarded with.
///
/// `Synchronization.Mutex` has no condition to wait on, hence pthread's
/// (https://pubs.opengroup.org/onlinepubs/9799919799/functions/pthread_cond_wait.html).
final class Monitor: @unchecked Sendable {
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
    func tryEnter() -> Bool { pthread_mutex_lock(mutex) == 0 }

    func enter() {
        guard tryEnter() else {
            fatalError("a thread must not lock what it has locked: leave the closure first")
        }
    }

    func leave() { pthread_mutex_unlock(mutex) }

    func locked<R>(_ body: () throws -> R) rethrows -> R {
        enter()
        defer { leave() }
        return try body()
    }

    /// Gives the lock up until `signalAll`, then takes it again. May return without a reason.
    func wait() { pthread_cond_wait(condition, mutex) }

    /// As `wait()`, until `date` in microseconds since 1970 at the latest.
    func wait(until date: Int64) { wait(condition, until: date) }

    func signalAll() { pthread_cond_broadcast(condition) }

    /// As `wait()`, but until `turn` is signalled, or until `date` at the latest.
    func wait(for turn: Turn, until date: Int64?) { wait(turn.condition, until: date) }

    private func wait(_ condition: UnsafeMutablePointer<pthread_cond_t>, until date: Int64?) {
        guard let date else {
            pthread_cond_wait(condition, mutex)
            return
        }
        var time = timespec(tv_sec: Int(date / 1_000_000), tv_nsec: Int(date % 1_000_000) * 1000)
        pthread_cond_timedwait(condition, mutex, &time)
    }
}

/// What one of many threads waits for that share a monitor, so that each is woken for its own sake only.
final class Turn: @unchecked Sendable {
    fileprivate let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() { pthread_cond_init(condition, nil) }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
    }

    /// Costs next to nothing if nobody waits. Whoever holds the monitor meanwhile keeps the one that is woken waiting.
    func signal() { pthread_cond_signal(condition) }
}
