package import FirnLog
import FirnProjection
import Synchronization

extension StoreEngine {
    /// Appends a transaction that was made without the writer's lock, if what it takes for granted still holds. One
    /// without changes is only checked.
    ///
    ///     alone            lock → catch up with other programs → check → append → unlock → sync
    ///     with others      encode → one thread for all: lock → check each → append all → unlock → one sync
    ///
    /// Small transactions of several threads are written together; what another thread of this program wrote meanwhile
    /// is no conflict as long as it was other rows.
    package func commit(_ transaction: Transaction) throws -> CommitResult {
        var prepared = try prepare(transaction)
        return try commit(&prepared)
    }

    /// Commits a prepared transaction, whose consequences may be computed once more.
    package func commit(_ prepared: inout PreparedTransaction) throws -> CommitResult {
        let isConcurrent = beginCommit()
        defer { commitsNow.subtract(1, ordering: .relaxed) }
        if isConcurrent, let sequence = try commitWithOthers(prepared) {
            trainDictionaryIfDue()
            return .committed(sequence)
        }
        return try commitAlone(&prepared)
    }

    /// Whether other saves are written at the same time, or were a moment ago: one that is alone needs no queue.
    private func beginCommit() -> Bool {
        if commitsNow.add(1, ordering: .relaxed).oldValue > 0 {
            commitsTogether.store(Self.commitsTogetherMax, ordering: .relaxed)
            return true
        }
        guard commitsTogether.load(ordering: .relaxed) > 0 else { return false }
        commitsTogether.subtract(1, ordering: .relaxed)
        return true
    }

    /// After two saves met, this many later ones count as concurrent too.
    private static let commitsTogetherMax = 64

    private func commitAlone(_ prepared: inout PreparedTransaction) throws -> CommitResult {
        var tries = CommitTries(self)
        var remote: [LogRecord] = []
        while true {
            switch try append(&prepared, &remote) {
            case .overtaken where isPreferred: return .conflict(records: remote)
            case .overtaken: try tries.failed()
            case .refused: return .conflict(records: remote)
            case .nothing: return .empty
            case .here(let sequence), .queued(_, let sequence): return .committed(sequence)
            }
        }
    }

    /// Lets a save be tried that lost again and again: nobody else, in this program or another, writes before it ends.
    /// `body` gets the records of other writers that the store had not seen before.
    package func withPreference<R>(_ body: ([LogRecord]) throws -> R) throws -> R {
        var remote: [LogRecord] = []
        defer { didSee(remote) }
        return try log.withWriterLock { writer in
            remote = try catchUp()
            preferred = writer
            defer { preferred = nil }
            return try body(remote)
        }
    }

    /// Whether the calling thread is in `withPreference`.
    private var isPreferred: Bool { log.isWriting && preferred != nil }

    /// Runs `body` with the right to append.
    func withWriter<R>(_ body: (LogWriter) throws -> R) throws -> R {
        if log.isWriting, let preferred { return try body(preferred) }
        return try log.withWriterLock(isQueueing: true, body)
    }

    /// Returns nil if it has to be tried alone: it is large, another program wrote first, or a row is not at hand by
    /// which to tell whether it stands.
    private func commitWithOthers(_ prepared: PreparedTransaction) throws -> SequenceNumber? {
        let transaction = prepared.transaction
        guard projector.isDeferring, !transaction.changes.isEmpty, prepared.tables == nil, prepared.files.isEmpty,
            transaction.metadata == nil, transaction.unanswered.isEmpty, !log.isWriting,
            let basis = transaction.basis, basis.lookups.isEmpty,
            let record = log.prepare(.changes(transaction.changes), header: transaction.header)
        else { return nil }
        let size = transaction.changes.heldSize
        var sequence: SequenceNumber?
        do {
            let isWritten = try log.commit(record) { [self] head in
                holds(basis, transaction.changes, behind: head)
            } completion: { [self] mark in
                sequence = mark.head
                projector.enqueue(transaction.changes, size: size, at: mark)
                rowCache.apply(transaction.rows(mark.head, transaction.changes))
                observe(mark.head, transaction.changes)
            }
            return isWritten ? sequence : nil
        } catch {
            if sequence != nil { rowCache.removeAll() }
            throw error
        }
    }

    /// Whether a transaction stands behind a record and behind others that are written with it. Called with the
    /// writer's lock held, in the order in which they are written.
    private func holds(_ basis: Basis, _ changes: ChangeSet, behind head: SequenceNumber) -> Bool {
        guard head == observedSequence, keyAllocator.areValid(basis.keys) else { return false }
        if group.head != head { group = (head, QueuedRows()) }
        if head != basis.head || !group.rows.isEmpty {
            for (key, version) in basis.versions {
                guard let version, !group.rows.contains(key), rowCache.snapshot(key)?.version == version
                else { return false }
            }
            for key in basis.present {
                if group.rows.contains(key) || rowCache.snapshot(key) == nil { return false }
            }
        }
        group.rows.add(changes)
        return true
    }
}
