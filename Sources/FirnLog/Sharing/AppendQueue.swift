/// Records of one machine on their way to its shared log, each chained to the one before.
///
///     add ──► waiting ──depart──► under way ──arrive──► answered ──land──► here, or told why not
///
/// One run is under way at a time, and carries all that waited when it departed. It departs once as many wait as were
/// on their way when the last one arrived, or a quarter of that one's time later: so the threads that were just told
/// come along, instead of taking turns with those that waited meanwhile. If it is not appended, what waits behind it
/// is chained to nothing, and its makers begin again.
struct AppendQueue {
    /// What became of a run.
    enum Answer: Hashable {
        case appended
        /// The shared log did not end where the run begins.
        case overtaken
        case failed(LogError)
    }

    /// So many bytes, or records, are enough for one run.
    private static let runSizeMax = 4 << 20
    private static let runCountMax = 256

    private var waiting: [QueuedAppend] = []
    private var underWay: [QueuedAppend] = []
    private var answered: [(append: QueuedAppend, answer: Answer)] = []
    /// Whether something was answered that was not appended: then nothing can be chained to the queue's end.
    private var isBroken = false
    /// How many were on their way when the last run arrived.
    private var countExpected = 0
    /// When the run that is under way departed, in microseconds of any clock.
    private var departure: Int64 = 0
    /// When those that wait go without more of them.
    private var deadline: Int64 = 0
    /// Whether the shared log is known to have records that are not here.
    var isBehind = false

    var isEmpty: Bool { waiting.isEmpty && underWay.isEmpty && answered.isEmpty }
    var hasAnswers: Bool { !answered.isEmpty }

    /// What the first record is chained to; nil if there is none.
    var start: LogCheckpoint? { (answered.first?.append ?? underWay.first ?? waiting.first)?.run.start }

    /// The last record; nil if there is none.
    var end: LogCheckpoint? { (waiting.last ?? underWay.last ?? answered.last?.append)?.run.end }

    /// False if what the record is chained to was not appended.
    mutating func add(_ append: QueuedAppend) -> Bool {
        if isBroken { return false }
        waiting.append(append)
        return true
    }

    /// Until when those that wait had better wait for others; nil if they need not, or something is under way.
    func delay(now: Int64) -> Int64? {
        guard underWay.isEmpty, !waiting.isEmpty, waiting.count < countExpected, now < deadline else { return nil }
        return deadline
    }

    /// What to send; nil if nothing waits, or something is under way.
    mutating func depart(now: Int64) -> FrameRun? {
        guard underWay.isEmpty, !waiting.isEmpty else { return nil }
        departure = now
        var size = 0
        let count = waiting.prefix(Self.runCountMax).prefix { append in
            defer { size += append.run.bytes.count }
            return size == 0 || size + append.run.bytes.count <= Self.runSizeMax
        }.count
        underWay = Array(waiting[..<count])
        waiting.removeFirst(count)
        return FrameRun(joining: underWay.map(\.run))
    }

    /// Of those that wait to depart, the first that somebody waits for; nil if there is none, or a run is under way.
    var nextToDepart: QueuedAppend? { underWay.isEmpty ? waiting.first(where: \.isAwaited) : nil }

    /// What was under way was answered.
    mutating func arrive(_ answer: Answer, now: Int64) {
        countExpected = underWay.count + waiting.count
        deadline = now + (now - departure) / 4
        answered += underWay.map { ($0, answer) }
        underWay = []
        guard answer != .appended else { return }
        answered += waiting.map { ($0, .overtaken) }
        waiting = []
        isBroken = true
        if answer == .overtaken { isBehind = true }
    }

    /// The first that was answered, which the queue forgets; nil if there is none.
    mutating func land() -> (append: QueuedAppend, answer: Answer)? {
        if answered.isEmpty { return nil }
        let first = answered.removeFirst()
        if answered.isEmpty { isBroken = false }
        return first
    }
}

/// A record that was handed in for a shared log: `SegmentLog.wait(for:)` tells what became of it.
public final class QueuedAppend: @unchecked Sendable {
    /// The record alone, chained to the one before.
    let run: FrameRun
    /// Called once, with the writer's lock held: where the log stands with the record; nil if it is not there.
    let landed: (LogMark?) -> Void
    /// Signalled when there is an outcome, or whoever waits for it had better send what waits.
    let turn = Turn()
    /// Guarded by the log's monitor, as the next one.
    var outcome: Result<Void, LogError>?
    /// Whether a thread waits for the turn.
    var isAwaited = false

    init(_ run: FrameRun, landed: @escaping (LogMark?) -> Void) {
        self.run = run
        self.landed = landed
    }

    /// The number of the record, if it is appended.
    public var sequence: SequenceNumber { run.end.sequence }
    /// Tells the record from any other's.
    public var link: ChainValue { run.end.link }
}
