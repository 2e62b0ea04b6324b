extension SegmentLog {
    /// Does what the log's durability asks for before a save of this record may be acknowledged.
    ///
    ///     synced     waits until the record is durable
    ///     bounded    sees to it that a sync begins in time
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
            wait.turn.wait()
            if wait.isDurable { return }
        }
    }

    /// Returns what to wait for, if another thread syncs; else all is durable.
    private func syncUnlessOthersDo(through sequence: SequenceNumber) throws -> SyncWait? {
        monitor.enter()
        defer { monitor.leave() }
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
            let told = try syncTail()
            let isLeft = syncs.isHandedOver && !threadForSyncs().request(by: 0)
            tell(told)
            if isLeft { syncWhileAwaited() }
        }
        return nil
    }

    /// Returns those who are to be told. To be called with `monitor` held, which is given up while the sync runs.
    private func syncTail() throws(LogError) -> [SyncWait] {
        syncs.begin()
        let (target, file) = (tail.head, tail.segment.file)
        monitor.leave()
        let outcome = Result { () throws(FileError) in try file.sync() }
        monitor.enter()
        if case .failure(let error) = outcome { throw poisoned(by: LogError(error)) }
        durable = max(durable, target)
        return syncs.end(durable: durable)
    }

    /// To be called with `monitor` held, which is given up meanwhile.
    private func tell(_ told: [SyncWait]) {
        if told.isEmpty { return }
        monitor.leave()
        for wait in told { wait.turn.signal() }
        monitor.enter()
    }

    /// Lets all who wait for a sync look at why there will be none. To be called with `monitor` held.
    func failSyncs() {
        for wait in syncs.fail() { wait.turn.signal() }
    }

    /// To be called with `monitor` held.
    private func threadForSyncs() -> LogThread {
        if let syncThread { return syncThread }
        let made = LogThread { [weak self] in self?.syncForOthers() }
        syncThread = made
        return made
    }

    /// As long as somebody waits, and all that is there now. A failure poisons the log, and so reaches whoever waits,
    /// or writes next.
    private func syncForOthers() {
        monitor.enter()
        defer { monitor.leave() }
        if !syncs.isHandedOver, durable < tail.head { syncs.request(through: tail.head) }
        syncWhileAwaited()
    }

    /// To be called with `monitor` held.
    private func syncWhileAwaited() {
        while syncs.isHandedOver {
            do {
                try checkWritable()
                tell(try syncTail())
            } catch {
                failSyncs()
            }
        }
    }

    private func syncWithin(_ delay: Int64) throws(LogError) {
        monitor.enter()
        defer { monitor.leave() }
        try checkWritable()
        let isDue = threadForSyncs().request(by: SystemCall.now() + delay)
        guard isDue else {
            fatalError("the system has no thread left for syncing the log")
        }
    }
}
