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
    /// Threads that wait at the same time share a sync: one performs it for all that was appended by then, the
    /// others wait for it. It needs no writer's lock. A failure poisons the log.
    public func sync(through sequence: SequenceNumber) throws {
        monitor.enter()
        defer { monitor.leave() }
        while durable < sequence {
            try checkWritable()
            precondition(
                sequence <= tail.head, "sync(through: \(sequence)) of a log that ends at \(tail.head)")
            if isSyncing {
                monitor.wait()
            } else {
                try syncTail()
            }
        }
    }

    /// To be called with `monitor` held, which is given up while the sync runs.
    private func syncTail() throws(LogError) {
        let (target, file) = (tail.head, tail.segment.file)
        isSyncing = true
        monitor.leave()
        let outcome = Result { () throws(FileError) in try file.sync() }
        monitor.enter()
        isSyncing = false
        switch outcome {
        case .success:
            durable = max(durable, target)
            monitor.signalAll()
        case .failure(let error): throw poisoned(by: LogError(error))
        }
    }

    private func syncWithin(_ delay: Int64) throws(LogError) {
        monitor.enter()
        defer { monitor.leave() }
        try checkWritable()
        let syncer: BoundedSync
        if let boundedSync {
            syncer = boundedSync
        } else {
            syncer = BoundedSync { [weak self] in
                guard let self else { return }
                // A failure poisons the log, and so reaches whoever writes next.
                try? self.sync(through: self.head)
            }
            boundedSync = syncer
        }
        syncer.request(by: SystemCall.now() + delay)
    }
}
