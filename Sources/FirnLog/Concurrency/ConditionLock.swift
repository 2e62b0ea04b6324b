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
        var clock = pthread_condattr_t()
        pthread_condattr_init(&clock)
        pthread_condattr_setclock(&clock, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &clock)
        pthread_condattr_destroy(&clock)
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

    /// As `wait()`, until `deadline` at the latest, in microseconds of `SystemClock.uptime()`.
    func wait(until deadline: Int64) {
        var time = timespec(tv_sec: Int(deadline / 1_000_000), tv_nsec: Int(deadline % 1_000_000) * 1000)
        pthread_cond_timedwait(condition, mutex, &time)
    }

    func signalAll() { pthread_cond_broadcast(condition) }
}

/// Lets a thread sleep until another one wakes it. Unlike with a condition, the thread that wakes acquires no lock
/// (https://man7.org/linux/man-pages/man7/sem_overview.7.html).
package final class Semaphore: @unchecked Sendable {
    private let handle = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    package init() { sem_init(handle, 0, 0) }

    deinit {
        sem_destroy(handle)
        handle.deallocate()
    }

    /// Wakes a thread that waits, or the next one that would.
    package func signal() { sem_post(handle) }

    package func wait() {
        // A signal handler may have run.
        while sem_wait(handle) != 0 {}
    }
}

/// The operating system's clocks.
package enum SystemClock {
    /// Microseconds since 1970-01-01 00:00 UTC. People and programs set this clock: no deadline hangs on it.
    package static func now() -> Int64 { microseconds(CLOCK_REALTIME) }

    /// Microseconds of a clock that nobody sets.
    package static func uptime() -> Int64 { microseconds(CLOCK_MONOTONIC) }

    private static func microseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }

    /// The `uptime()` after this many microseconds, or the last one that there is.
    static func deadline(in microseconds: Int64) -> Int64 {
        let (sum, overflow) = uptime().addingReportingOverflow(microseconds)
        return overflow ? .max : sum
    }

    static func sleep(microseconds: Int64) {
        var time = timespec(
            tv_sec: Int(microseconds / 1_000_000), tv_nsec: Int(microseconds % 1_000_000) * 1000)
        nanosleep(&time, nil)
    }
}
