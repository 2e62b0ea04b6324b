import Dispatch
import FirnLog
import FirnProjection
import FirnSQLite
import Synchronization

/// Brings the tables of one store to where its log is.
///
/// A small save is done when its record is in the log. The tables get it a moment later, with others, on a thread of
/// their own; or at once, when somebody is about to read them:
///
///     save 7 ──► log      save 8 ──► log      save 9 ──► log       fetch
///                 └────────────── unapplied: 7, 8, 9 ────────────────┴──► one transaction: 7, 8, 9 ──► its rows
///
/// A reader sees every save that any program was acknowledged: the log says up to where the tables must be. After a
/// program was killed, the next one that reads or opens the store applies what is left from the log.
///
/// Thread-safe. Applying needs no writer's lock: the tables' own transaction says what they have, so of two programs
/// that apply the same record one finds it there.
final class Projector: Sendable {
    let log: SegmentLog
    let projection: Projection
    private let modelSequence: SequenceNumber
    /// Whether saves of this program may leave tables behind: those in memory they do not.
    let isDeferring: Bool

    private struct State {
        var records = UnappliedRecords()
        /// For a store that was opened for reading, once its tables were behind.
        var writable: Projection?
        var isScheduled = false
        var isUrgent = false
    }

    private let state = Mutex(State())
    let queue = DispatchQueue(label: "firn.projector", qos: .utility)
    /// Hears of each commit.
    private let history: HistoryUpdates?
    /// The record of this program that may be in the log and was not acknowledged, while its rows are still being
    /// written; else zero.
    private let appending = Atomic<UInt64>(0)
    private let isClosed = Atomic(false)
    /// Whether the tables were committed without knowing that their last record is durable.
    private let marksLag = Atomic(false)

    /// The longest time, in milliseconds, before other programs that read the tables see a save.
    private static let delay = 10
    /// With this many records, or bytes of them, applying does not wait for the delay.
    private static let countUrgent = 256
    private static let sizeUrgent = 1 << 20
    /// With this many bytes, the saving thread applies them itself.
    private static let sizeMax = 16 << 20

    /// Whether others may have written the log since this object did.
    private let isShared: Bool

    init(
        log: SegmentLog, projection: Projection, modelSequence: SequenceNumber, isShared: Bool,
        history: HistoryUpdates? = nil
    ) {
        self.isShared = isShared
        self.history = history
        self.log = log
        self.projection = projection
        self.modelSequence = modelSequence
        if case .file = projection.location { isDeferring = !projection.isReadOnly } else { isDeferring = false }
        if isDeferring { OpenProjectors.insert(self) }
    }

    /// Accepts a change set that was just appended, with which the log stands at `mark`. The caller holds the writer's
    /// lock.
    func accept(_ changes: ChangeSet, size: Int, at mark: LogMark) throws {
        let entry = UnappliedRecords.Entry(sequence: mark.head, link: mark.link, changes: changes, size: size)
        guard isDeferring else {
            state.withLock { $0.records.append(entry) }
            return try apply()
        }
        let (isFirst, isUrgent, isTooMuch) = state.withLock { state in
            state.records.append(entry)
            let isMuch = state.records.count >= Self.countUrgent || state.records.size >= Self.sizeUrgent
            let isUrgent = isMuch && !state.isUrgent
            if isUrgent { state.isUrgent = true }
            let isFirst = !state.isScheduled
            state.isScheduled = true
            return (isFirst, isUrgent, state.records.size >= Self.sizeMax)
        }
        if isTooMuch {
            applyIfPossible()
        } else if isUrgent {
            queue.async { [weak self] in self?.applyIfPossible() }
        } else if isFirst {
            queue.asyncAfter(deadline: .now() + .milliseconds(Self.delay)) { [weak self] in
                self?.applyIfPossible()
            }
        }
    }

    /// Accepts a change set that is in the log and whose rows are being written.
    func accept(_ entry: UnappliedRecords.Entry) { state.withLock { $0.records.append(entry) } }

    /// Returns when no rows are being written, nor a write-ahead log moved.
    func waitForRows() { queue.sync {} }

    /// Waits until what waits is applied, if that is much. On the queue, where large change sets wait to be written:
    /// each is held in memory until its turn. The caller holds the writer's lock, so none of them waits for its record.
    func makeRoom() {
        if state.withLock({ $0.records.size >= Self.sizeMax }) { queue.sync { applyIfPossible() } }
    }

    /// Readers do not wait for the record until it is acknowledged.
    func beginAppend(_ next: SequenceNumber) { appending.store(next.rawValue, ordering: .releasing) }

    /// The record that readers do not wait for now.
    var appendingSequence: SequenceNumber? {
        let next = appending.load(ordering: .acquiring)
        return next == 0 ? nil : SequenceNumber(next)
    }

    func endAppend(_ next: SequenceNumber) {
        _ = appending.compareExchange(expected: next.rawValue, desired: 0, ordering: .acquiringAndReleasing)
    }

    /// An error shows again at the next read, which throws it.
    func applyIfPossible() {
        state.withLock { ($0.isScheduled, $0.isUrgent) = (false, false) }
        try? apply()
    }

    /// Applies what is left, unless this thread is about to write the tables, or another one does not come to an end.
    func applyAtExit() {
        if state.withLock({ !$0.records.isEmpty }), projection.isFree(waiting: 5) { applyIfPossible() }
    }

    /// Sees to it that the tables have every record that was acknowledged. Complexity: a read of 32 bytes, if they do.
    func catchUp() throws {
        guard isShared, !isClosed.load(ordering: .relaxed) else { return }
        var head = (try? log.refresh()) ?? log.head
        if head.rawValue == appending.load(ordering: .acquiring) { head = SequenceNumber(head.rawValue - 1) }
        guard projection.checkpoint < head, try projection.storedCheckpoint() < head else { return }
        if projection.isReadOnly { return applyForReading() }
        do {
            try apply()
        } catch let error as SQLiteError where error.code == .busy && state.withLock({ $0.records.isEmpty }) {
            // Another program is about to commit what it has appended, and has acknowledged nothing.
        }
    }

    func committed(_ mark: LogMark) {
        state.withLock { $0.records.remove(through: mark.head) }
        marksLag.store(mark.durable < mark.head, ordering: .relaxed)
        checkpointWAL()
        history?.schedule()
    }

    /// To be called after each commit.
    func checkpointWAL() { checkpointWAL(in: projection) }

    private func checkpointWAL(in projection: Projection) {
        guard projection.needsWALCheckpoint else { return }
        queue.async { [weak projection] in projection?.checkpointWAL() }
    }

    /// A store that is opened for reading stays as it is; what a killed program left out of its tables is put into them
    /// all the same, where that is possible. Else they show what they have.
    private func applyForReading() {
        let writable = state.withLock { state in
            if state.writable == nil { state.writable = try? projection.openedForWriting() }
            return state.writable
        }
        guard let writable else { return }
        try? apply(to: writable)
        _ = try? projection.storedCheckpoint()
    }

    /// Brings the tables to the log's last record, of this program or another.
    func apply() throws { try apply(to: projection) }

    private func apply(to projection: Projection) throws {
        let head = log.head
        while try transaction(of: projection, { try applyRecords(after: $0, to: projection) }) < head {}
        if projection !== self.projection { checkpointWAL(in: projection) }
    }

    /// Runs `body` in a transaction of the tables. `body` gets the last record that they have, and returns where the
    /// log stands behind the last one that it applied; nil if there are none. Returns the last record that they have
    /// then.
    func transaction(
        of projection: Projection, _ body: (_ applied: SequenceNumber) throws -> LogMark?
    ) throws -> SequenceNumber {
        try projection.begin()
        let applied = projection.appliedInTransaction
        let mark: LogMark?
        do {
            mark = try body(applied)
        } catch {
            projection.rollback()
            throw error
        }
        guard let mark else {
            projection.rollback()
            discard(through: applied)
            return applied
        }
        try projection.commit(mark)
        committed(mark)
        // What follows is as much again.
        if mark.head < log.head { projection.checkpointWAL() }
        return mark.head
    }

    /// Applies what follows `applied`, as far as one transaction should go.
    private func applyRecords(after applied: SequenceNumber, to projection: Projection) throws -> LogMark? {
        if let known = state.withLock({ $0.records.following(applied) }), let last = known.last {
            for entry in known { try projection.apply(entry.changes, at: entry.sequence) }
            let durable = min(log.durableThrough, last.sequence)
            return LogMark(head: last.sequence, link: last.link, durable: durable)
        }
        let head = log.head
        guard head > applied else { return nil }
        guard applied >= log.baseline else {
            throw ProjectionError(
                .gap, "the tables end at record \(applied), and the log begins behind \(log.baseline); rebuild them",
                path: projection.location.path)
        }
        let reader = try log.records(after: applied)
        while reader.position < head, !projection.isTransactionLarge, let record = try reader.next() {
            try apply(record, to: projection)
        }
        return try mark(at: reader.position)
    }

    /// Where the log stood behind a record.
    func mark(at sequence: SequenceNumber) throws -> LogMark {
        let mark = log.mark
        if sequence == mark.head { return mark }
        guard let link = try log.link(at: sequence) else {
            throw LogError(
                .missing, "Record \(sequence) was cut off while the tables got it.", path: log.directory,
                sequence: sequence)
        }
        return LogMark(head: sequence, link: link, durable: min(mark.durable, sequence))
    }

    /// Applies a record, in the open transaction, that may be in the terms of a model older than ours.
    func apply(_ record: LogRecord) throws { try apply(record, to: projection) }

    private func apply(_ record: LogRecord, to projection: Projection) throws {
        if case .changes(let changeSet) = record.body, changeSet.model != modelSequence {
            try projection.remember(log.model(at: changeSet.model), at: changeSet.model)
        }
        try projection.apply(record)
    }

    /// Drops what waits, up to a record: rebuilt tables have it already.
    func discard(through sequence: SequenceNumber) {
        state.withLock { $0.records.remove(through: sequence) }
    }

    /// Applies what is left, and tells the tables which records are durable, so that damage to the last ones is not
    /// taken for a torn write. What fails is done when the store is opened.
    func close() {
        defer {
            isClosed.store(true, ordering: .relaxed)
            waitForRows()
            state.withLock { $0.writable.take() }?.closeFile()
        }
        if state.withLock({ !$0.records.isEmpty }) { applyIfPossible() }
        guard marksLag.load(ordering: .relaxed), !projection.isReadOnly else { return }
        do {
            try projection.begin()
        } catch {
            return
        }
        let mark = log.mark
        guard projection.appliedInTransaction == mark.head else { return projection.rollback() }
        try? projection.commit(mark)
    }
}
