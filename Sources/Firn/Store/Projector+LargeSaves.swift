import Dispatch
import FirnLog
import FirnProjection
import Synchronization

/// Large change sets, whose rows are written while their records are made:
///
///     save           record ──► log ──► objects, notifications ──► fetch
///     projector      rows ────────────────────────────► commit ──► its rows
extension Projector {
    /// Runs `append`, which appends a change set as record `next`, while its rows are being written. They are committed
    /// once the log has the record, which the caller does not wait for. The caller holds the writer's lock, and no
    /// transaction of the tables.
    func take(
        _ changes: ChangeSet, size: Int, as next: SequenceNumber, _ append: () throws -> SequenceNumber
    ) rethrows -> SequenceNumber {
        makeRoom()
        let landing = Landing()
        queue.async { [self] in write(changes, as: next, landing) }
        beginFlight(next)
        do {
            let sequence = try append()
            let mark = log.mark
            note(UnappliedRecords.Entry(sequence: mark.head, link: mark.link, changes: changes, size: size))
            landing.end(mark)
            return sequence
        } catch {
            endFlight(next)
            landing.end(nil)
            throw error
        }
    }

    /// On the projector's queue. What fails here is left to whoever reads next, or saves much.
    private func write(_ changes: ChangeSet, as next: SequenceNumber, _ landing: Landing) {
        let isWritten = (try? begin(changes, as: next)) ?? false
        guard let mark = landing.wait() else {
            if isWritten { projection.rollback() }
            return
        }
        if isWritten, (try? projection.commit(mark)) != nil { committed(mark) } else { applyIfPossible() }
    }

    /// Writes the rows in a transaction that is left open. False if the tables are not where the record follows.
    private func begin(_ changes: ChangeSet, as next: SequenceNumber) throws -> Bool {
        // Another program may have come to the record first.
        try projection.begin()
        do {
            if projection.appliedInTransaction.next == next {
                try projection.apply(changes, at: next)
                return true
            }
        } catch {
            projection.rollback()
            throw error
        }
        projection.rollback()
        return false
    }
}

/// Where the one that writes the rows learns what became of the record.
private final class Landing: Sendable {
    private let mark = Mutex<LogMark?>(nil)
    private let semaphore = DispatchSemaphore(value: 0)

    /// With where the log stands behind the record, or nil if it was not appended.
    func end(_ mark: LogMark?) {
        self.mark.withLock { $0 = mark }
        semaphore.signal()
    }

    func wait() -> LogMark? {
        semaphore.wait()
        return mark.withLock { $0 }
    }
}
