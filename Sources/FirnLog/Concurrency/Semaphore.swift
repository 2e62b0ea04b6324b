#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Lets a thread sleep until another one wakes it. Unlike with a condition, the thread that wakes acquires no lock
/// (https://man7.org/linux/man-pages/man7/sem_overview.7.html).
final class Semaphore: @unchecked Sendable {
    private let handle = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(handle, 0, 0) }

    deinit {
        sem_destroy(handle)
        handle.deallocate()
    }

    /// Wakes a thread that waits, or the next one that would.
    func signal() { sem_post(handle) }

    func wait() {
        // A signal handler may have run.
        while sem_wait(handle) != 0 {}
    }
}
