#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A thread of a log that does its work when it is asked to, or some time later, once for all who asked in between.
package final class LogThread: @unchecked Sendable {
    private let work: @Sendable () -> Void

    /// Guards what follows.
    private let stateLock = ConditionLock()
    /// When to work, in microseconds of `SystemClock.uptime()`.
    private var deadline: Int64?
    private var isStopped = false
    private var isRunning = false

    package init(work: @escaping @Sendable () -> Void) { self.work = work }

    /// - Parameter time: in microseconds of `SystemClock.uptime()`; at once if that is past.
    /// - Returns: false if the system has no thread left: then nothing will be done here.
    package func request(by time: Int64) -> Bool {
        stateLock.withLock {
            if !isRunning { start() }
            guard isRunning else { return false }
            deadline = min(deadline ?? time, time)
            stateLock.signalAll()
            return true
        }
    }

    /// Ends the thread, at once if it waits. What was asked for is not done any more.
    package func stop() {
        stateLock.withLock {
            isStopped = true
            stateLock.signalAll()
        }
    }

    private func start() {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self)
        let status = pthread_create(&thread, nil, { context in
            guard let context else { return nil }
            Unmanaged<LogThread>.fromOpaque(context).takeRetainedValue().run()
            return nil
        }, context.toOpaque())
        isRunning = status == 0
        if isRunning { pthread_detach(thread) } else { context.release() }
    }

    private func run() {
        while waitUntilDue() { work() }
    }

    private func waitUntilDue() -> Bool {
        stateLock.withLock {
            while !isStopped {
                if let time = deadline {
                    if SystemClock.uptime() >= time {
                        deadline = nil
                        return true
                    }
                    stateLock.wait(until: time)
                } else {
                    stateLock.wait()
                }
            }
            return false
        }
    }
}
