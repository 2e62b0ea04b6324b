/// Group commit on a shared log: threads that save at the same time share a statement, and a commit.
///
///     with the writer's lock     the record gets its number and its link, behind the queued records
///     without it                 the first thread that waits sends all queued records in one run; the others wait
///     with the lock again        appended records are written here, in order
///
/// A thread that acquires the lock for anything but to queue a record first waits until the queue is empty.
extension SegmentLog {
    /// Returns when the record is in the shared log, and here. Not inside of `withWriterLock`.
    ///
    /// Throws `overtaken` if another machine was faster, or what it was chained to was not appended: nothing was
    /// appended; retry. Throws `outcomeUnknown` with the record's number and link if there was no answer.
    public func wait(for append: QueuedAppend) throws {
        guard let upstream else { fatalError("only a copy of a shared log queues records") }
        stateLock.lock()
        while append.outcome == nil {
            let now = SystemClock.now()
            let date = queue.delay(now: now)
            guard date == nil, let run = queue.dequeue(now: now) else {
                append.isAwaited = true
                stateLock.wait(for: append.condition, until: date)
                append.isAwaited = false
                continue
            }
            stateLock.unlock()
            send(run, to: upstream)
            completeAnswered()
            stateLock.lock()
        }
        let outcome = append.outcome
        stateLock.unlock()
        try outcome?.get()
    }

    /// Whether the record is here, or is queued.
    public func expects(_ sequence: SequenceNumber) -> Bool {
        stateLock.withLock { sequence <= max(tail.head, queue.end?.sequence ?? .zero) }
    }

    /// To be called with the writer's lock held.
    func enqueue(
        _ body: LogRecord.Body, _ header: TransactionHeader, after end: LogCheckpoint?,
        completion: @escaping (LogMark?) -> Void
    ) throws -> QueuedAppend {
        guard let upstream else { fatalError("only a copy of a shared log queues records") }
        let append = QueuedAppend(try encoder.run([(body, header)], after: end ?? known), completion: completion)
        guard stateLock.withLock({ queue.add(append) }) else { throw overtaken(upstream) }
        return append
    }

    /// Call this first after acquiring the writer's lock.
    ///
    /// - Returns: where the log ends when all that is queued is appended; nil if nothing is, as it is unless `body` is
    ///   to queue a record.
    func prepareQueue(isQueueing: Bool) throws -> LogCheckpoint? {
        guard let upstream else { return nil }
        completeInOrder()
        guard isQueueing else {
            drainQueue(to: upstream)
            return nil
        }
        // If another process fetched records here, the queued ones are chained to an older record.
        let (start, end) = stateLock.withLock { (queue.start, queue.end) }
        if let start, start.link == known.link { return end }
        drainQueue(to: upstream)
        if stateLock.withLock({ queue.isBehind }) {
            try upstream.perform(storeID, ignoresPause: false) {
                try fetchRecordsOrThrow(from: $0, through: upstream.currentState.head)
            }
            stateLock.withLock { queue.isBehind = false }
        }
        return nil
    }

    /// Waits until the queue is empty. Throws `overtaken` if the log does not end as expected then. To be called with
    /// the writer's lock held.
    func flushQueue(expecting end: LogCheckpoint) throws {
        guard let upstream else { return }
        drainQueue(to: upstream)
        if known.link != end.link { throw overtaken(upstream) }
    }

    /// To be called with the writer's lock held.
    private func drainQueue(to upstream: Upstream) {
        while true {
            completeInOrder()
            stateLock.lock()
            if queue.isEmpty { return stateLock.unlock() }
            if let run = queue.dequeue(now: SystemClock.now()) {
                stateLock.unlock()
                send(run, to: upstream)
                continue
            }
            if !queue.hasAnswers { stateLock.wait() }
            stateLock.unlock()
        }
    }

    private func send(_ run: FrameRun, to upstream: Upstream) {
        let answer = ask(run, upstream)
        let next = stateLock.withLock {
            queue.receive(answer, now: SystemClock.now())
            // Wakes the thread that has the writer's lock and waits for the queue to be empty.
            stateLock.signalAll()
            return queue.nextToSend
        }
        next?.condition.signal()
    }

    private func ask(_ run: FrameRun, _ upstream: Upstream) -> AppendQueue.Answer {
        do {
            let outcome = try upstream.perform(storeID, ignoresPause: false) { try $0.append(run) }
            guard case .conflict(let end) = outcome else {
                upstream.recordHead(run.end.sequence)
                return .appended
            }
            upstream.recordHead(end.sequence)
            return .overtaken
        } catch {
            return .failed(error as? LogError ?? LogError(.refused, "\(error)", path: upstream.place))
        }
    }

    /// Completes the answered records, unless a thread that has the lock did so before.
    private func completeAnswered() {
        do {
            try holdingWriterLock(timeout: nil) {
                try catchUp()
                completeInOrder()
            }
        } catch {
            // Nothing can be written here any more.
            let reason = error as? LogError ?? LogError(.ioFailed, "\(error)", path: directory)
            while let (append, answer) = stateLock.withLock({ queue.dequeueAnswered() }) {
                let error = answer == .appended ? localAppendFailure(append.run, reason) : failure(append, answer)
                resolve([(append, .failure(error))])
            }
        }
    }

    /// To be called with the writer's lock held.
    private func completeInOrder() {
        var resolved: [(append: QueuedAppend, outcome: Result<Void, LogError>)] = []
        while let (append, answer) = stateLock.withLock({ queue.dequeueAnswered() }) {
            var outcome: Result<Void, LogError>
            if answer == .appended {
                do {
                    try appendHere(append.run)
                    outcome = .success(())
                } catch {
                    stateLock.withLock { queue.isBehind = true }
                    let reason = error as? LogError ?? LogError(.ioFailed, "\(error)")
                    outcome = .failure(localAppendFailure(append.run, reason))
                }
            } else {
                outcome = .failure(failure(append, answer))
            }
            let end = append.run.end
            let isHere = if case .success = outcome { true } else { false }
            append.completion(isHere ? LogMark(head: end.sequence, link: end.link, durable: .zero) : nil)
            resolved.append((append, outcome))
        }
        resolve(resolved)
    }

    private func resolve(_ resolved: [(append: QueuedAppend, outcome: Result<Void, LogError>)]) {
        if resolved.isEmpty { return }
        stateLock.withLock {
            for (append, outcome) in resolved { append.outcome = outcome }
        }
        for (append, _) in resolved { append.condition.signal() }
    }

    private func failure(_ append: QueuedAppend, _ answer: AppendQueue.Answer) -> LogError {
        guard case .failed(var error) = answer else {
            return LogError(
                .overtaken, "Another machine saved first; save again.", path: upstream?.place ?? directory)
        }
        if error.code == .outcomeUnknown { error.refer(to: append.run.end) }
        return error
    }

    /// Writes the run here, unless another process on this copy has fetched its frames already.
    private func appendHere(_ run: FrameRun) throws {
        let end = run.end
        guard known.sequence >= end.sequence else {
            guard known.link == run.start.link else {
                throw LogError(.missing, "The records before it are not here yet.", path: directory)
            }
            for frame in run.frames { try append(frame, of: run) }
            return
        }
        if let link = try link(at: end.sequence), link != end.link {
            throw LogError.diverged(directory, at: end, found: "\(link)")
        }
    }

    /// The record is in the shared log, and is fetched with the next ones. To its caller that is the same as no answer.
    func localAppendFailure(_ run: FrameRun, _ reason: LogError) -> LogError {
        var error = LogError(
            .outcomeUnknown,
            "The record was appended to \(upstream?.place ?? "?"), and could not be kept here. \(reason)",
            path: directory, underlyingErrno: reason.underlyingErrno)
        error.refer(to: run.end)
        return error
    }
}
