extension SegmentLog {
    /// Does what the log's durability asks for before a save of this record may be acknowledged.
    ///
    ///     synced     waits until the record is durable
    ///     bounded    requests a sync within the delay
    ///     system     nothing
    public func acknowledge(through sequence: SequenceNumber) throws {
        switch options.durability {
        case .synced: try sync(through: sequence)
        case .bounded(let delay): try syncWithin(delay)
        case .system: break
        }
    }

    /// Returns when all records up to this one are durable; at once if they are.
    ///
    /// Needs no writer's lock. Threads that wait for a sync at the same time share the next one. A failure poisons the
    /// log.
    public func sync(through sequence: SequenceNumber) throws {
        stateLock.lock()
        defer { stateLock.unlock() }
        while durable < sequence {
            try checkWritable()
            guard sequence <= tail.head else {
                fatalError("sync(through: \(sequence)) of a log that ends at \(tail.head)")
            }
            if syncing.isRunning { stateLock.wait() } else { try syncTail() }
        }
    }

    /// Makes durable what is there. Call with `stateLock` held; it is unlocked while the sync runs.
    private func syncTail() throws(LogError) {
        syncing.isRunning = true
        let (target, file) = (tail.head, tail.segment.file)
        stateLock.unlock()
        let outcome = Result { () throws(FileError) in try file.sync() }
        stateLock.lock()
        syncing.isRunning = false
        stateLock.signalAll()
        if case .failure(let error) = outcome { throw poisoned(by: LogError(error)) }
        durable = max(durable, target)
    }

    private func syncWithin(_ delay: Int64) throws(LogError) {
        stateLock.lock()
        defer { stateLock.unlock() }
        try checkWritable()
        if syncing.thread == nil { syncing.thread = LogThread { [weak self] in self?.syncAll() } }
        guard syncing.thread?.request(by: SystemClock.deadline(in: delay)) == true else {
            fatalError("the system has no thread left for syncing the log")
        }
    }

    /// A failure poisons the log: the next one that writes throws it.
    private func syncAll() { try? sync(through: head) }
}
