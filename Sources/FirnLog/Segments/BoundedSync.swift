#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A thread that syncs a log some time after it was asked to, once for all who asked in between.
final class BoundedSync: @unchecked Sendable {
    private let sync: @Sendable () -> Void

    /// Guards what follows.
    private let monitor = Monitor()
    /// When to sync, in microseconds since 1970.
    private var deadline: Int64?
    private var isStopped = false
    private var isRunning = false

    init(sync: @escaping @Sendable () -> Void) { self.sync = sync }

    func request(by date: Int64) {
        monitor.locked {
            if deadline == nil { deadline = date }
            if !isRunning { start() }
            monitor.signalAll()
        }
    }

    /// Ends the thread, at once if it waits. What was asked for is not done any more.
    func stop() {
        monitor.locked {
            isStopped = true
            monitor.signalAll()
        }
    }

    private func start() {
        isRunning = true
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self).toOpaque()
        let status = pthread_create(&thread, nil, { context in
            guard let context else { return nil }
            Unmanaged<BoundedSync>.fromOpaque(context).takeRetainedValue().run()
            return nil
        }, context)
        precondition(status == 0, "the system has no thread left for syncing the log")
        pthread_detach(thread)
    }

    private func run() {
        while waitUntilDue() { sync() }
    }

    private func waitUntilDue() -> Bool {
        monitor.locked {
            while !isStopped {
                if let date = deadline {
                    if SystemCall.now() >= date {
                        deadline = nil
                        return true
                    }
                    monitor.wait(until: date)
                } else {
                    monitor.wait()
                }
            }
            return false
        }
    }
}
