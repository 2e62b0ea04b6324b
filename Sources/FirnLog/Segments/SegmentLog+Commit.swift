import Synchronization

/// Group commit: records that are made before anybody holds the writer's lock, and written together.
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
    ///   - landed: where the log stands with the record, which is not durable yet.
    /// - Returns: false if it was not valid: nothing was appended.
    public func commit(
        _ record: PreparedRecord, isValid: @escaping (SequenceNumber) -> Bool,
        landed: @escaping (LogMark) -> Void
    ) throws -> Bool {
        // It would wait for a flight that waits for this thread.
        guard writingThread.load(ordering: .relaxed) != SystemCall.thread else {
            fatalError("commit must not be called inside of withWriterLock")
        }
        let commit = Commit(record, isValid: isValid, landed: landed)
        while true {
            let isFirst = try monitor.locked {
                try checkWritable()
                return commits.add(commit)
            }
            if isFirst {
                fly([commit])
                endFlight()
            } else {
                commit.wait()
            }
            switch commit.outcome {
            case .committed: return true
            case .refused: return false
            case .failed(let error): throw error
            // The log is being closed: whoever waited sees to it itself.
            case nil: continue
            }
        }
    }

    /// How many threads wait to be committed with others.
    package var waitingCommits: Int { monitor.locked { commits.waitingCount } }

    private func fly(_ flight: [Commit]) {
        let outcome: Commit.Outcome
        do {
            if let last = try write(flight) { try acknowledge(through: last) }
            outcome = .committed
        } catch {
            outcome = .failed(error)
        }
        for commit in flight { commit.end(outcome) }
    }

    /// Returns the last record that was written; nil if none was valid.
    private func write(_ flight: [Commit]) throws -> SequenceNumber? {
        try holdingWriterLock(timeout: options.lockTimeout) {
            try catchUp()
            let head = head
            let valid = flight.filter { $0.check(behind: head) }
            if valid.isEmpty { return nil }
            remakeForeign(valid.map(\.record))
            let (marks, failure) = try append(valid.map(\.record))
            for (commit, mark) in zip(valid, marks) { commit.land(at: mark) }
            if let failure { for commit in valid.dropFirst(marks.count) { commit.end(.failed(failure)) } }
            return marks.last?.head
        }
    }

    /// Makes those anew that are compressed with another dictionary than that of the last segment, which began
    /// meanwhile.
    private func remakeForeign(_ records: [PreparedRecord]) {
        let dictionary = monitor.locked { tail.segment.dictionary?.id }
        for record in records where record.frame.dictionary != nil && record.frame.dictionary != dictionary {
            record.frame = compressors.with { frame(of: record.body, record.header, $0) }
        }
    }

    /// Leaves those that came meanwhile to the log's thread.
    private func endFlight() {
        let isLeft = monitor.locked {
            guard commits.waitingCount > 0 else {
                _ = commits.depart()
                return false
            }
            return !threadForCommits().request(by: 0)
        }
        if isLeft { commitForOthers() }
    }

    /// To be called with `monitor` held.
    private func threadForCommits() -> LogThread {
        if let commitThread { return commitThread }
        let made = LogThread { [weak self] in self?.commitForOthers() }
        commitThread = made
        return made
    }

    /// Lets all who wait look at why nobody may come for them. To be called with `monitor` held.
    func dismissCommits() {
        for commit in commits.dismiss() { commit.wake() }
    }

    /// As long as somebody waits.
    private func commitForOthers() {
        while true {
            let flight = monitor.locked { commits.depart() }
            if flight.isEmpty { return }
            fly(flight)
            for commit in flight { commit.wake() }
        }
    }
}
