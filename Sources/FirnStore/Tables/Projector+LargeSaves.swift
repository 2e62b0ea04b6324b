import Dispatch
import FirnLog
import FirnProjection
import Synchronization

/// Large change sets, whose rows are written while their records are made:
///
///     save           record ──► log ──► objects, notifications ──► fetch
///     projector      rows ────────────────────────────► commit ──► its rows
extension Projector {
    /// Runs `append`, which appends a change set as the next record, while its rows are being written. They are
    /// committed once the log has the record, which the caller does not wait for. The caller holds the writer's lock,
    /// and no transaction of the tables.
    func applyWhileAppending(
        _ changes: ChangeSet, size: Int, _ append: () throws -> [Result<LogMark, LogError>]
    ) rethrows -> [Result<LogMark, LogError>] {
        makeRoom()
        let next = log.head.next
        let outcome = AppendOutcome()
        queue.async { [self] in write(changes, as: next, outcome) }
        beginAppend(next)
        var appended: LogMark?
        defer {
            if appended == nil { endAppend(next) }
            outcome.end(appended)
        }
        let outcomes = try append()
        if case .success(let mark)? = outcomes.first {
            accept(UnappliedRecords.Entry(sequence: mark.head, link: mark.link, changes: changes, size: size))
            appended = mark
        }
        return outcomes
    }

    /// On the projector's queue. If this fails, the next reader or the next large save applies the record.
    private func write(_ changes: ChangeSet, as next: SequenceNumber, _ outcome: AppendOutcome) {
        let isWritten = (try? begin(changes, as: next)) ?? false
        guard let mark = outcome.wait() else {
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
private final class AppendOutcome: Sendable {
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
