package import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Threads that post take turns before Foundation's center.
///
/// The center looks for observers under a lock that the system hands to a thread that sleeps before it
/// (`FUTEX_UNLOCK_PI`, https://man7.org/linux/man-pages/man2/futex.2.html). Until that one runs, all who come sleep
/// too: of eight threads that save, most slept four times a save. A thread that sleeps here is woken when the turn is
/// free, and not given it.
///
/// It is only a turn: observers run within it, and may post, or wait for a thread that does. So a thread waits for it
/// no longer than for a moment, and if it had to go without, none is waited for during the next posts.
package enum NotificationLock {
    /// In nanoseconds.
    private static let timeout = 200_000
    private static let postsWithout = 1_000

    private static let left = Atomic(0)

    private static let shared: Transferred<UnsafeMutablePointer<pthread_mutex_t>> = {
        let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        // A post by an observer of another one must not wait for itself.
        pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ERRORCHECK))
        pthread_mutex_init(mutex, &attributes)
        pthread_mutexattr_destroy(&attributes)
        return Transferred(mutex)
    }()

    private static var mutex: UnsafeMutablePointer<pthread_mutex_t> { shared.value }

    package static func post(_ notification: Notification) {
        let isMine = acquire()
        NotificationCenter.default.post(notification)
        if isMine { pthread_mutex_unlock(mutex) }
    }

    private static func acquire() -> Bool {
        if left.load(ordering: .relaxed) > 0 {
            left.subtract(1, ordering: .relaxed)
            return false
        }
        if pthread_mutex_trylock(mutex) == 0 { return true }
        var date = timespec()
        clock_gettime(CLOCK_REALTIME, &date)
        date.tv_nsec += timeout
        date.tv_sec += date.tv_nsec / 1_000_000_000
        date.tv_nsec %= 1_000_000_000
        let status = pthread_mutex_timedlock(mutex, &date)
        if status == ETIMEDOUT { left.store(postsWithout, ordering: .relaxed) }
        return status == 0
    }
}
