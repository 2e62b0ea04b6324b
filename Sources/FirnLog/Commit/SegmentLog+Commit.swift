import Synchronization

/// Group commit: records are encoded before the writer's lock is acquired, and written together.
extension SegmentLog {
    /// Larger records are appended alone.
    private static let preparedSizeMax = 64 << 10

    /// Makes the bytes of a record, without any lock. Nil if the record is to be appended under the writer's lock: it
    /// is large, names values that are kept outside of it, or the log is a copy of a shared one.
    public func prepare(_ body: LogRecord.Body, header: TransactionHeader) -> PreparedRecord? {
        guard !isCopy, body.heldSize <= Self.preparedSizeMax else { return nil }
        if case .changes(let changes) = body, changes.namesExternalValues { return nil }
        return compressors.with { PreparedRecord(frame(of: body, header, $0), body, header) }
    }

    /// Appends a prepared record, with those of other threads that come at the same time (`CommitQueue`), and does what
    /// the log's durability asks for. Not inside of `withWriterLock`.
    ///
    /// The two closures are called with the writer's lock held, by whichever thread has it, while the caller waits.
    /// - Parameters:
    ///   - isValid: whether the record may be written behind the log's last one, and behind others that are committed
    ///     with it.
    ///   - completion: called with the place of the record in the log, before the record is durable.
    /// - Returns: false if it was not valid: nothing was appended.
    public func commit(
        _ record: PreparedRecord, isValid: @escaping (SequenceNumber) -> Bool,
        completion: @escaping (LogMark) -> Void
    ) throws -> Bool {
        // It would wait for a batch that waits for this thread.
        guard !isWriting else {
            fatalError("commit must not be called inside of withWriterLock")
        }
        let commit = Commit(record, isValid: isValid, completion: completion)
        while true {
            let isFirst = try stateLock.withLock {
                try checkWritable()
                return commits.add(commit)
            }
            if isFirst {
                commitBatch([commit])
                finishBatch()
            } else {
                commit.wait()
            }
            switch commit.outcome {
            case .committed: return true
            case .refused: return false
            case .failed(let error): throw error
            // The log is being closed: the caller commits by itself.
            case nil: continue
            }
        }
    }

    /// How many threads wait to be committed with others.
    package var waitingCommits: Int { stateLock.withLock { commits.waitingCount } }

    private func commitBatch(_ batch: [Commit]) {
        let outcome: Commit.Outcome
        do {
            if let last = try write(batch) { try acknowledge(through: last) }
            outcome = .committed
        } catch {
            outcome = .failed(error)
        }
        for commit in batch { commit.end(outcome) }
    }

    /// Returns the last record that was written; nil if none was valid.
    private func write(_ batch: [Commit]) throws -> SequenceNumber? {
        try holdingWriterLock(timeout: options.lockTimeout) {
            try catchUp()
            let head = head
            let valid = batch.filter { $0.check(behind: head) }
            if valid.isEmpty { return nil }
            reencode(valid.map(\.record))
            let (marks, failure) = try append(valid.map(\.record))
            for (commit, mark) in zip(valid, marks) { commit.complete(at: mark) }
            if let failure { for commit in valid.dropFirst(marks.count) { commit.end(.failed(failure)) } }
            return marks.last?.head
        }
    }

    /// Encodes those records again that are compressed with another dictionary than the last segment's: that segment
    /// began after they were prepared.
    private func reencode(_ records: [PreparedRecord]) {
        let dictionary = stateLock.withLock { tail.segment.dictionary?.id }
        for record in records where record.frame.dictionary != nil && record.frame.dictionary != dictionary {
            record.frame = compressors.with { frame(of: record.body, record.header, $0) }
        }
    }

    /// Hands the records that were added meanwhile to the log's thread.
    private func finishBatch() {
        let isLeft = stateLock.withLock {
            guard commits.waitingCount > 0 else {
                _ = commits.dequeue()
                return false
            }
            return !threadForCommits().request(by: 0)
        }
        if isLeft { commitForOthers() }
    }

    /// To be called with `stateLock` held.
    private func threadForCommits() -> LogThread {
        if let commitThread { return commitThread }
        let made = LogThread { [weak self] in self?.commitForOthers() }
        commitThread = made
        return made
    }

    /// Wakes all waiting threads, because the log's thread will not commit for them. Call with `stateLock` held.
    func dismissCommits() {
        for commit in commits.dismiss() { commit.wake() }
    }

    /// Commits batches until no record waits.
    private func commitForOthers() {
        while true {
            let batch = stateLock.withLock { commits.dequeue() }
            if batch.isEmpty { return }
            commitBatch(batch)
            for commit in batch { commit.wake() }
        }
    }
}
