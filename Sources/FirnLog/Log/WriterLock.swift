import Synchronization

/// The right to append, which one thread of one process has at a time.
final class WriterLock: Sendable {
    private let mutex = ConditionLock()
    /// The lock between processes; nil for a log that is opened for reading.
    private let fileLock: (any FileLock)?
    /// How many threads wait for the mutex.
    private let waiting = Atomic<Int>(0)
    /// The thread that has the right; zero if none has.
    private let holder = Atomic<UInt>(0)

    init(_ fileLock: (any FileLock)?) { self.fileLock = fileLock }

    /// Waits for other threads, then for other processes. Throws `locked` if those take longer than `timeout`
    /// microseconds.
    func acquire(_ directory: String, timeout: Int64?) throws(LogError) {
        guard let fileLock else { fatalError("a log for writing has a lock") }
        waiting.add(1, ordering: .relaxed)
        guard mutex.lockUnlessHeld() else { fatalError("exclusively must not be called inside of itself") }
        waiting.subtract(1, ordering: .relaxed)
        do throws(LogError) {
            try fileLock.acquire(for: directory, timeout: timeout)
        } catch {
            mutex.unlock()
            throw error
        }
        holder.store(SystemCall.thread, ordering: .relaxed)
    }

    func release() {
        fileLock?.release()
        holder.store(0, ordering: .relaxed)
        mutex.unlock()
    }

    /// Whether the calling thread has the right.
    var isHeld: Bool { holder.load(ordering: .relaxed) == SystemCall.thread }

    /// Whether other threads wait. The thread that has the right should then sync after it released it, so that they
    /// share its sync or the next one.
    var isAwaited: Bool { waiting.load(ordering: .relaxed) > 0 }

    func withoutLocalWriters<R>(_ body: () throws -> R) rethrows -> R {
        guard mutex.lockUnlessHeld() else {
            fatalError("withoutLocalWriters must not be called inside of itself or of exclusively")
        }
        defer { mutex.unlock() }
        return try body()
    }
}

extension FileLock {
    /// Acquires the lock of a log's folder. Throws `locked` if that takes longer than `timeout` microseconds.
    func acquire(for directory: String, timeout: Int64?) throws(LogError) {
        let deadline = timeout.map { SystemClock.deadline(in: $0) }
        while true {
            if try attempt({ () throws(FileError) in try acquire(waiting: deadline == nil) }) { return }
            if let deadline, SystemClock.uptime() >= deadline {
                throw LogError(
                    .locked, "Another writer holds the log; try again later.",
                    path: directory + "/" + Format.lockName)
            }
            SystemClock.sleep(microseconds: 500)
        }
    }
}
