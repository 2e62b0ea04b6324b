/// Group commit on a shared log: threads that save at the same time share a statement, and a commit.
///
///     under the writer's lock    the record gets its number and its chain, behind those that are queued
///     without it                 whoever waits first sends all that wait, in one run; the others wait for that
///     under it again             what was appended comes here, in order
///
/// Whoever takes the lock otherwise than to queue a record waits until nothing is queued any more.
extension SegmentLog {
    /// Returns when the record is in the shared log, and here. Not inside of `withWriterLock`.
    ///
    /// Throws `overtaken` if another machine was faster, or what it was chained to was not appended: nothing was made;
    /// begin again. Throws `outcomeUnknown` with the record's number and link if there was no answer.
    public func wait(for append: QueuedAppend) throws {
        guard let upstream else { fatalError("only a copy of a shared log queues records") }
        monitor.enter()
        while append.outcome == nil {
            let now = SystemCall.now()
            let date = queue.delay(now: now)
            guard date == nil, let run = queue.depart(now: now) else {
                append.isAwaited = true
                monitor.wait(for: append.turn, until: date)
                append.isAwaited = false
                continue
            }
            monitor.leave()
            send(run, to: upstream)
            landAnswered()
            monitor.enter()
        }
        let outcome = append.outcome
        monitor.leave()
        try outcome?.get()
    }

    /// Whether the record is here, or is on its way as far as this machine knows.
    public func expects(_ sequence: SequenceNumber) -> Bool {
        monitor.locked { sequence <= max(tail.head, queue.end?.sequence ?? .zero) }
    }

    /// To be called with the writer's lock held.
    func enqueue(
        _ body: LogRecord.Body, _ header: TransactionHeader, after end: LogCheckpoint?,
        landed: @escaping (LogMark?) -> Void
    ) throws -> QueuedAppend {
        guard let upstream else { fatalError("only a copy of a shared log queues records") }
        let append = QueuedAppend(try encoder.run([(body, header)], after: end ?? known), landed: landed)
        guard monitor.locked({ queue.add(append) }) else { throw overtaken(upstream) }
        return append
    }

    /// At the beginning of whatever is done with the writer's lock held.
    ///
    /// - Returns: where the log ends when all that is queued is appended; nil if nothing is, as it is unless `body` is
    ///   to queue a record.
    func prepareQueue(isQueueing: Bool) throws -> LogCheckpoint? {
        guard let upstream else { return nil }
        land()
        guard isQueueing else {
            emptyQueue(to: upstream)
            return nil
        }
        // What another process brought here in between, what is queued is not chained to.
        let (start, end) = monitor.locked { (queue.start, queue.end) }
        if let start, start.link == known.link { return end }
        emptyQueue(to: upstream)
        if monitor.locked({ queue.isBehind }) {
            try upstream.perform(storeID, isPatient: false) {
                try bringOrRefuse(from: $0, through: upstream.currentState.head)
            }
            monitor.locked { queue.isBehind = false }
        }
        return nil
    }

    /// Waits for all that is queued. Throws `overtaken` if the log does not end as expected then. To be called with the
    /// writer's lock held.
    func settleQueue(expecting end: LogCheckpoint) throws {
        guard let upstream else { return }
        emptyQueue(to: upstream)
        if known.link != end.link { throw overtaken(upstream) }
    }

    /// To be called with the writer's lock held.
    private func emptyQueue(to upstream: Upstream) {
        while true {
            land()
            monitor.enter()
            if queue.isEmpty { return monitor.leave() }
            if let run = queue.depart(now: SystemCall.now()) {
                monitor.leave()
                send(run, to: upstream)
                continue
            }
            if !queue.hasAnswers { monitor.wait() }
            monitor.leave()
        }
    }

    private func send(_ run: FrameRun, to upstream: Upstream) {
        let answer = ask(run, upstream)
        let next = monitor.locked {
            queue.arrive(answer, now: SystemCall.now())
            // Whoever has the writer's lock, and waits for the queue to be empty.
            monitor.signalAll()
            return queue.nextToDepart
        }
        next?.turn.signal()
    }

    private func ask(_ run: FrameRun, _ upstream: Upstream) -> AppendQueue.Answer {
        do {
            let outcome = try upstream.perform(storeID, isPatient: false) { try $0.append(run) }
            guard case .conflict(let end) = outcome else {
                upstream.note(run.end.sequence)
                return .appended
            }
            upstream.note(end.sequence)
            return .overtaken
        } catch {
            return .failed(error as? LogError ?? LogError(.refused, "\(error)", path: upstream.place))
        }
    }

    /// What was answered comes here, unless somebody who has the lock was faster.
    private func landAnswered() {
        do {
            try holdingWriterLock(timeout: nil) {
                try catchUp()
                land()
            }
        } catch {
            // Nothing can be written here any more.
            let reason = error as? LogError ?? LogError(.ioFailed, "\(error)", path: directory)
            while let (append, answer) = monitor.locked({ queue.land() }) {
                settle([(append, .failure(answer == .appended ? notKept(append, reason) : failure(append, answer)))])
            }
        }
    }

    /// To be called with the writer's lock held.
    private func land() {
        var settled: [(append: QueuedAppend, outcome: Result<Void, LogError>)] = []
        while let (append, answer) = monitor.locked({ queue.land() }) {
            var outcome: Result<Void, LogError>
            if answer == .appended {
                do {
                    try keep(append.run)
                    outcome = .success(())
                } catch {
                    monitor.locked { queue.isBehind = true }
                    outcome = .failure(notKept(append, error as? LogError ?? LogError(.ioFailed, "\(error)")))
                }
            } else {
                outcome = .failure(failure(append, answer))
            }
            let end = append.run.end
            let isHere = if case .success = outcome { true } else { false }
            append.landed(isHere ? LogMark(head: end.sequence, link: end.link, durable: .zero) : nil)
            settled.append((append, outcome))
        }
        settle(settled)
    }

    private func settle(_ settled: [(append: QueuedAppend, outcome: Result<Void, LogError>)]) {
        if settled.isEmpty { return }
        monitor.locked {
            for (append, outcome) in settled { append.outcome = outcome }
        }
        for (append, _) in settled { append.turn.signal() }
    }

    private func failure(_ append: QueuedAppend, _ answer: AppendQueue.Answer) -> LogError {
        guard case .failed(var error) = answer else {
            return LogError(
                .overtaken, "Another machine saved first; save again.", path: upstream?.place ?? directory)
        }
        if error.code == .outcomeUnknown { error.refer(to: append.run.end) }
        return error
    }

    /// Another process on this copy may have brought the frames already.
    private func keep(_ run: FrameRun) throws {
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

    /// The record is in the shared log, and comes here with the next ones: for whoever saves it that is the same as no
    /// answer.
    func notKept(_ run: FrameRun, _ reason: LogError) -> LogError {
        var error = LogError(
            .outcomeUnknown,
            "The record was appended to \(upstream?.place ?? "?"), and could not be kept here. \(reason)",
            path: directory, underlyingErrno: reason.underlyingErrno)
        error.refer(to: run.end)
        return error
    }

    private func notKept(_ append: QueuedAppend, _ reason: LogError) -> LogError { notKept(append.run, reason) }
}
