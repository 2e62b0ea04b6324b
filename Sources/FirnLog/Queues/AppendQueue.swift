/// The records that one machine has queued for its shared log, each chained to the one before.
///
///     add ──► waiting ──dequeue──► sent ──receive──► answered ──dequeueAnswered──► appended here, or failed
///
/// One run is sent at a time, with all records that wait. It is sent once as many wait as were queued when the last
/// answer came, or a quarter of that run's time later. So threads that were just answered join the next run, instead of
/// alternating with those that waited meanwhile. If a run is not appended, the records behind it are chained to
/// nothing: they fail, and their callers retry.
struct AppendQueue {
    /// The answer to a run.
    enum Answer: Hashable {
        case appended
        /// The shared log did not end where the run begins.
        case overtaken
        case failed(LogError)
    }

    /// The most bytes, and the most records, of one run.
    private static let runSizeMax = 4 << 20
    private static let runCountMax = 256

    private var waiting: [QueuedAppend] = []
    private var sent: [QueuedAppend] = []
    private var answered: [(append: QueuedAppend, answer: Answer)] = []
    /// Whether an answered record was not appended: then no record can be chained to the queue's end.
    private var isBroken = false
    /// How many records were queued when the last answer came.
    private var countExpected = 0
    /// When the last run was sent, in microseconds of any clock.
    private var sendDate: Int64 = 0
    /// When the records that wait are sent, however few they are.
    private var deadline: Int64 = 0
    /// Whether the shared log is known to have records that are not here.
    var isBehind = false

    var isEmpty: Bool { waiting.isEmpty && sent.isEmpty && answered.isEmpty }
    var hasAnswers: Bool { !answered.isEmpty }

    /// The checkpoint that the first record is chained to; nil if there is none.
    var start: LogCheckpoint? { (answered.first?.append ?? sent.first ?? waiting.first)?.run.start }

    /// The last record; nil if there is none.
    var end: LogCheckpoint? { (waiting.last ?? sent.last ?? answered.last?.append)?.run.end }

    /// False if what the record is chained to was not appended.
    mutating func add(_ append: QueuedAppend) -> Bool {
        if isBroken { return false }
        waiting.append(append)
        return true
    }

    /// Until when the records that wait should wait for more; nil if they need not, or a run is sent already.
    func delay(now: Int64) -> Int64? {
        guard sent.isEmpty, !waiting.isEmpty, waiting.count < countExpected, now < deadline else { return nil }
        return deadline
    }

    /// The run to send; nil if no record waits, or a run is sent already.
    mutating func dequeue(now: Int64) -> FrameRun? {
        guard sent.isEmpty, !waiting.isEmpty else { return nil }
        sendDate = now
        var size = 0
        let count = waiting.prefix(Self.runCountMax).prefix { append in
            defer { size += append.run.bytes.count }
            return size == 0 || size + append.run.bytes.count <= Self.runSizeMax
        }.count
        sent = Array(waiting[..<count])
        waiting.removeFirst(count)
        return FrameRun(joining: sent.map(\.run))
    }

    /// The first unsent record for which a thread waits; nil if there is none, or a run is sent already.
    var nextToSend: QueuedAppend? { sent.isEmpty ? waiting.first(where: \.isAwaited) : nil }

    /// The server answered the run that was sent.
    mutating func receive(_ answer: Answer, now: Int64) {
        countExpected = sent.count + waiting.count
        deadline = now + (now - sendDate) / 4
        answered += sent.map { ($0, answer) }
        sent = []
        guard answer != .appended else { return }
        answered += waiting.map { ($0, .overtaken) }
        waiting = []
        isBroken = true
        if answer == .overtaken { isBehind = true }
    }

    /// Removes and returns the first answered record; nil if there is none.
    mutating func dequeueAnswered() -> (append: QueuedAppend, answer: Answer)? {
        if answered.isEmpty { return nil }
        let first = answered.removeFirst()
        if answered.isEmpty { isBroken = false }
        return first
    }
}

/// A record that is queued for a shared log: `SegmentLog.wait(for:)` returns or throws its outcome.
public final class QueuedAppend: @unchecked Sendable {
    /// The record alone, chained to the one before.
    let run: FrameRun
    /// Called once, with the writer's lock held: with the record's place in the log, or nil if it is not there.
    let completion: (LogMark?) -> Void
    /// Signalled when there is an outcome, or when the thread that waits should send the next run.
    let condition = Condition()
    /// Guarded by the log's `stateLock`, as the next one.
    var outcome: Result<Void, LogError>?
    /// Whether a thread waits for the condition.
    var isAwaited = false

    init(_ run: FrameRun, completion: @escaping (LogMark?) -> Void) {
        self.run = run
        self.completion = completion
    }

    /// The number of the record, if it is appended.
    public var sequence: SequenceNumber { run.end.sequence }
    /// The record's link, which no other record has.
    public var link: ChainValue { run.end.link }
}
