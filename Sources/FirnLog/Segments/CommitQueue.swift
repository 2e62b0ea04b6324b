/// Threads that commit to a log at the same time.
///
/// Whoever comes while nobody commits writes and syncs its own record. Those who come meanwhile leave both to a
/// thread of the log, which goes on until nobody waits. All who share a flight share one taking of the writer's lock,
/// one write and one sync, and each sleeps once.
///
///     saver 1    prepare  write sync ───────►
///     saver 2       prepare  wait ─────────────────────────────►  prepare …
///     saver 3            prepare  wait ────────────────────────►  prepare …
///     log's thread                           write 2, 3 sync ──►  write …
struct CommitQueue {
    /// So many records are enough for one flight.
    private static let countMax = 64

    /// Whether a thread commits, or was asked to.
    private(set) var isFlying = false
    /// In the order in which they came.
    private var waiting: [Commit] = []

    var waitingCount: Int { waiting.count }

    /// Whether the caller is to commit the record itself; else it waits for its turn.
    mutating func add(_ commit: Commit) -> Bool {
        if isFlying {
            waiting.append(commit)
            return false
        }
        isFlying = true
        return true
    }

    /// A flight has ended; those who go next. With none, nobody commits any more.
    mutating func depart() -> [Commit] {
        let next = Array(waiting.prefix(Self.countMax))
        waiting.removeFirst(next.count)
        isFlying = !next.isEmpty
        return next
    }

    /// The log's thread may not come any more: all who wait begin anew.
    mutating func dismiss() -> [Commit] {
        isFlying = false
        defer { waiting = [] }
        return waiting
    }
}

/// A record on its way into the log, and the thread that waits for that.
final class Commit: @unchecked Sendable {
    enum Outcome {
        /// It is in the log, and as durable as the log promises.
        case committed
        /// It was not to be written any more.
        case refused
        case failed(any Error)
    }

    let record: PreparedRecord
    private var isValid: ((SequenceNumber) -> Bool)?
    private var landed: ((LogMark) -> Void)?
    private let turn = Semaphore()
    /// Set by whoever commits, before the turn is signalled.
    private(set) var outcome: Outcome?

    init(
        _ record: PreparedRecord, isValid: @escaping (SequenceNumber) -> Bool, landed: @escaping (LogMark) -> Void
    ) {
        self.record = record
        self.isValid = isValid
        self.landed = landed
    }

    /// Whether the record may be written behind a record. If not, that is its outcome.
    func check(behind head: SequenceNumber) -> Bool {
        if isValid?(head) ?? false { return true }
        outcome = .refused
        return false
    }

    /// The log stands so with the record.
    func land(at mark: LogMark) { landed?(mark) }

    /// What became of the record, unless that is known. What the closures hold is let go here, lest the log's thread
    /// be the last that lets it go.
    func end(_ outcome: Outcome) {
        if self.outcome == nil { self.outcome = outcome }
        (isValid, landed) = (nil, nil)
    }

    /// Wakes the thread that waits: there is an outcome, or it has to begin anew.
    func wake() { turn.signal() }

    func wait() { turn.wait() }
}
