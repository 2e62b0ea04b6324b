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
    /// Threads that wait at the same time share a sync (`SyncQueue`). It needs no writer's lock. A failure poisons the
    /// log.
    public func sync(through sequence: SequenceNumber) throws {
        while let wait = try syncUnlessOthersDo(through: sequence) {
            wait.semaphore.wait()
            if wait.isDurable { return }
        }
    }

    /// Returns what to wait for, if another thread syncs; else all is durable.
    private func syncUnlessOthersDo(through sequence: SequenceNumber) throws -> SyncWait? {
        stateLock.lock()
        defer { stateLock.unlock() }
        while durable < sequence {
            try checkWritable()
            guard sequence <= tail.head else {
                fatalError("sync(through: \(sequence)) of a log that ends at \(tail.head)")
            }
            if syncs.isSyncing {
                let wait = SyncWait(sequence)
                syncs.add(wait)
                return wait
            }
            let done = try syncTail()
            let isLeft = syncs.isHandedOver && !threadForSyncs().request(by: 0)
            signal(done)
            if isLeft { syncWhileAwaited() }
        }
        return nil
    }

    /// Returns the waits that are over. Call with `stateLock` held; it is unlocked while the sync runs.
    private func syncTail() throws(LogError) -> [SyncWait] {
        syncs.begin()
        let (target, file) = (tail.head, tail.segment.file)
        stateLock.unlock()
        let outcome = Result { () throws(FileError) in try file.sync() }
        stateLock.lock()
        if case .failure(let error) = outcome { throw poisoned(by: LogError(error)) }
        durable = max(durable, target)
        return syncs.end(durable: durable)
    }

    /// Call with `stateLock` held; it is unlocked meanwhile.
    private func signal(_ done: [SyncWait]) {
        if done.isEmpty { return }
        stateLock.unlock()
        for wait in done { wait.semaphore.signal() }
        stateLock.lock()
    }

    /// Wakes all threads that wait for a sync, because there will be none. To be called with `stateLock` held.
    func failSyncs() {
        for wait in syncs.fail() { wait.semaphore.signal() }
    }

    /// To be called with `stateLock` held.
    private func threadForSyncs() -> LogThread {
        if let syncThread { return syncThread }
        let made = LogThread { [weak self] in self?.syncForOthers() }
        syncThread = made
        return made
    }

    /// Syncs until no thread waits, and at least all records that are there now. A failure poisons the log: threads
    /// that wait, and the next one that writes, throw it.
    private func syncForOthers() {
        stateLock.lock()
        defer { stateLock.unlock() }
        if !syncs.isHandedOver, durable < tail.head { syncs.request(through: tail.head) }
        syncWhileAwaited()
    }

    /// To be called with `stateLock` held.
    private func syncWhileAwaited() {
        while syncs.isHandedOver {
            do {
                try checkWritable()
                signal(try syncTail())
            } catch {
                failSyncs()
            }
        }
    }

    private func syncWithin(_ delay: Int64) throws(LogError) {
        stateLock.lock()
        defer { stateLock.unlock() }
        try checkWritable()
        let isDue = threadForSyncs().request(by: SystemClock.deadline(in: delay))
        guard isDue else {
            fatalError("the system has no thread left for syncing the log")
        }
    }
}
