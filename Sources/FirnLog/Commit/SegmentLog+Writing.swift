import Synchronization

/// The right to append, which one thread of one process has at a time.
extension SegmentLog {
    /// Runs `body` while nobody else, in this process or another, may append. All records that others appended before
    /// are known when it begins. Not to be nested.
    ///
    /// With a copy of a shared log, `body` is run again if another machine was faster. It must have undone what it did
    /// before its first append.
    public func exclusively<R>(_ body: () throws -> R) throws -> R {
        try beginWriting()
        defer { endWriting() }
        // Nobody overtakes the one that holds the lock of a log that is no copy.
        let deadline = upstream == nil ? nil : options.lockTimeout.map { SystemClock.deadline(in: $0) }
        var (tries, stalled) = (0, 0)
        var last: ChainValue?
        while true {
            try catchUp()
            hasAppended = false
            do {
                return try body()
            } catch let error as LogError where error.code == .overtaken && !hasAppended {
                tries += 1
                if let deadline, SystemClock.now() >= deadline { throw late(tries) }
                // Each time that another machine was faster there are more records than before.
                let link = mark.link
                stalled = link == last ? stalled + 1 : 0
                last = link
                if stalled > LogError.stalledMax { throw LogError.stalled(upstream?.place ?? directory) }
            }
        }
    }

    private func late(_ tries: Int) -> LogError {
        LogError(
            .overtaken,
            "Others wrote the same store first, \(tries) times, and the time is over for which a save may wait. "
                + "Nothing was written: save again.", path: upstream?.place ?? directory)
    }

    /// Runs `body` while no other thread of this process appends by this log. It does not wait for other processes, and
    /// those do not wait for it. Not to be nested, and not inside of `exclusively`.
    public func withoutLocalWriters<R>(_ body: () throws -> R) rethrows -> R {
        guard writerMutex.lockUnlessHeld() else {
            fatalError("withoutLocalWriters must not be called inside of itself or of exclusively")
        }
        defer { writerMutex.unlock() }
        return try body()
    }

    private func beginWriting() throws {
        try stateLock.withLock { try checkWritable() }
        guard let fileLock else { fatalError("a log for writing has a lock") }
        waitingWriters.add(1, ordering: .relaxed)
        guard writerMutex.lockUnlessHeld() else {
            fatalError("exclusively must not be called inside of itself")
        }
        waitingWriters.subtract(1, ordering: .relaxed)
        do {
            try Self.acquire(fileLock, directory, timeout: options.lockTimeout)
        } catch {
            writerMutex.unlock()
            throw error
        }
        writingThread.store(SystemCall.thread, ordering: .relaxed)
    }

    private func endWriting() {
        fileLock?.release()
        writingThread.store(0, ordering: .relaxed)
        writerMutex.unlock()
    }

    /// Whether the calling thread is inside of `exclusively`.
    public var isWriting: Bool { writingThread.load(ordering: .relaxed) == SystemCall.thread }

    /// Whether other threads wait for the writer's lock of this log. The thread that has it should then sync after it
    /// releases the lock, so that they share its sync or the next one.
    public var isWriterAwaited: Bool { waitingWriters.load(ordering: .relaxed) > 0 }
}

extension LogError {
    /// How often in a row a log may say that another writer was faster, and have no record of one.
    static let stalledMax = 100

    static func stalled(_ place: String) -> LogError {
        LogError(
            .refused,
            "The log says again and again that another writer was faster, and has no record of one. Nothing was "
                + "appended.", path: place)
    }
}
