/// Threads that commit to a log at the same time.
///
/// A thread that finds no commit running writes and syncs its own record. Threads that come meanwhile leave both to a
/// thread of the log, which commits until no record waits. The records of a batch share one lock, one write and one
/// sync, and each thread sleeps once.
///
///     saver 1    prepare  write sync ───────►
///     saver 2       prepare  wait ─────────────────────────────►  prepare …
///     saver 3            prepare  wait ────────────────────────►  prepare …
///     log's thread                           write 2, 3 sync ──►  write …
struct CommitQueue {
    /// The most records of one batch: more would delay the first of them.
    private static let countMax = 64

    /// Whether a thread commits, or was asked to.
    private(set) var isCommitting = false
    /// In the order in which they came.
    private var waiting: [Commit] = []

    var waitingCount: Int { waiting.count }

    /// True if the caller has to commit the record itself; otherwise it waits for the record's semaphore.
    mutating func add(_ commit: Commit) -> Bool {
        if isCommitting {
            waiting.append(commit)
            return false
        }
        isCommitting = true
        return true
    }

    /// Ends a batch and returns the next one. An empty one means that no thread commits any more.
    mutating func dequeue() -> [Commit] {
        let next = Array(waiting.prefix(Self.countMax))
        waiting.removeFirst(next.count)
        isCommitting = !next.isEmpty
        return next
    }

    /// Removes all waiting records, because the log's thread will not commit them. Their threads retry.
    mutating func dismiss() -> [Commit] {
        isCommitting = false
        defer { waiting = [] }
        return waiting
    }
}

/// A record that is being committed, and the thread that waits for it.
final class Commit: @unchecked Sendable {
    enum Outcome {
        /// It is in the log, and as durable as the log promises.
        case committed
        /// `isValid` returned false: the record was not written.
        case refused
        case failed(any Error)
    }

    let record: PreparedRecord
    private var isValid: ((SequenceNumber) -> Bool)?
    private var completion: ((LogMark) -> Void)?
    private let semaphore = Semaphore()
    /// Set by the thread that commits, before it signals the semaphore.
    private(set) var outcome: Outcome?

    init(
        _ record: PreparedRecord, isValid: @escaping (SequenceNumber) -> Bool, completion: @escaping (LogMark) -> Void
    ) {
        self.record = record
        self.isValid = isValid
        self.completion = completion
    }

    /// Whether the record may be written behind the record `head`. If not, its outcome is `refused`.
    func check(behind head: SequenceNumber) -> Bool {
        if isValid?(head) ?? false { return true }
        outcome = .refused
        return false
    }

    /// Passes on the place of the record in the log.
    func complete(at mark: LogMark) { completion?(mark) }

    /// Sets the outcome, unless there is one. Releases the closures here, so that their objects are never freed by the
    /// log's thread.
    func end(_ outcome: Outcome) {
        if self.outcome == nil { self.outcome = outcome }
        (isValid, completion) = (nil, nil)
    }

    /// Wakes the thread that waits: there is an outcome, or it has to retry.
    func wake() { semaphore.signal() }

    func wait() { semaphore.wait() }
}
