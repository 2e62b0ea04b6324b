import Synchronization

/// A segment log that is one machine's copy of a shared log.
///
///     append     make the frame → append it to the shared log, if that still ends where this one ends
///                → append the same bytes here
///     overtaken  another machine was faster: its frames are fetched, and the caller retries
///     unknown    no answer: nothing is appended here. The frame's link shows later whether it was appended there
///
/// Records that are appended together are sent together.
///
/// The copy never has a record that the shared log did not acknowledge. It is not synced: records that a power failure
/// removes are fetched again.
public final class SharedCopy: SegmentLog, @unchecked Sendable {
    /// The shared log.
    public let upstream: Upstream
    /// The last record that was sent to the shared log. Guarded by `stateLock`.
    private var sent = SequenceNumber.zero
    /// Whether `exclusively` may not run its body again: something was appended. Guarded by the writer's lock.
    private var hasAppended = false
    /// Guarded by the writer's lock.
    private let encoder: FrameEncoder

    init(of upstream: Upstream, _ folder: LogFolder, tail: LogTail, contents: LogContents) {
        self.upstream = upstream
        encoder = FrameEncoder(compressionLevel: folder.options.compressionLevel)
        super.init(folder, tail: tail, contents: contents)
    }

    public override func close() {
        upstream.close()
        super.close()
    }

    public override func exclusively<R>(_ body: () throws -> R) throws -> R {
        try super.exclusively {
            let deadline = options.lockTimeout.map { SystemClock.deadline(in: $0) }
            var (tries, stalled) = (0, 0)
            var last: ChainValue?
            while true {
                hasAppended = false
                do {
                    return try body()
                } catch let error as LogError where error.code == .overtaken && !hasAppended {
                    tries += 1
                    if let deadline, SystemClock.uptime() >= deadline { throw late(tries) }
                    // Each time that another machine was faster there are more records than before.
                    let link = mark.link
                    stalled = link == last ? stalled + 1 : 0
                    last = link
                    if stalled > LogError.stalledMax { throw LogError.stalled(upstream.place) }
                }
                try catchUp()
            }
        }
    }

    private func late(_ tries: Int) -> LogError {
        LogError(
            .overtaken,
            "Others wrote the same store first, \(tries) times, and the time is over for which a save may wait. "
                + "Nothing was written: save again.", path: upstream.place)
    }

    /// Appends records to the shared log by one statement, if it still ends where this copy ends, and then here.
    ///
    /// Where there was no answer, each failure has its record's number and link.
    public override func append(_ records: [PreparedRecord]) throws -> [Result<LogMark, LogError>] {
        guard isWriting else { fatalError("append inside of exclusively only") }
        let run = try encoder.run(records.map { ($0.body, $0.header) }, after: known)
        stateLock.withLock { sent = run.end.sequence }
        let outcome: AppendOutcome
        do {
            outcome = try upstream.perform(storeID, ignoresPause: false) { shared in
                let named = records.flatMap(\.body.externalReferences)
                try shared.copyValues(named, from: self)
                let outcome = try shared.append(run)
                // Another machine may have removed values that no record named before the append.
                if outcome == .appended { try shared.copyValues(named, from: self) }
                return outcome
            }
        } catch let error as LogError where error.code == .outcomeUnknown {
            return run.unanswered(error)
        }
        if case .conflict(let end) = outcome {
            upstream.recordHead(end.sequence)
            try upstream.perform(storeID) { try fetchRecordsOrThrow(from: $0, through: end.sequence) }
            throw overtaken()
        }
        upstream.recordHead(run.end.sequence)
        hasAppended = true
        do throws(LogError) {
            for frame in run.frames { try append(frame, of: run) }
        } catch {
            // The next ones to come fetch them. To the callers that is the same as no answer.
            return run.unanswered(
                LogError(
                    .outcomeUnknown,
                    "The record was appended to \(upstream.place), and could not be kept here. \(error)",
                    path: directory, underlyingErrno: error.underlyingErrno))
        }
        return run.frames.map { .success(LogMark(head: $0.sequence, link: $0.link, durable: .zero)) }
    }

    public override func holds(
        _ link: ChainValue, at sequence: SequenceNumber, ignoresPause: Bool = false
    ) throws -> Bool? {
        let head = head
        if sequence > head {
            try upstream.perform(storeID, ignoresPause: ignoresPause) { try fetchRecords(from: $0) }
            if self.head > head { throw overtaken() }
        }
        return try super.holds(link, at: sequence)
    }

    public override func store(attachment bytes: [UInt8]) throws {
        try upstream.perform(storeID, ignoresPause: false) { try $0.store(attachment: bytes) }
        try super.store(attachment: bytes)
    }

    override func refuseDetachedCopy() {}

    /// Whether the record is here, or was sent to the shared log.
    func expects(_ sequence: SequenceNumber) -> Bool {
        stateLock.withLock { sequence <= max(tail.head, sent) }
    }

    private func overtaken() -> LogError {
        LogError(.overtaken, "Another machine saved first; save again.", path: upstream.place)
    }
}

extension FrameRun {
    /// The failure of each record, by which its caller can ask later whether it was appended.
    fileprivate func unanswered(_ error: LogError) -> [Result<LogMark, LogError>] {
        frames.map { frame in
            var failure = error
            failure.refer(
                to: LogCheckpoint(
                    storeID: start.storeID, sequence: frame.sequence, date: frame.date, link: frame.link))
            return .failure(failure)
        }
    }
}
