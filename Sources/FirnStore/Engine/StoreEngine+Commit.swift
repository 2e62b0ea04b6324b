import FirnLog
import FirnProjection
import Foundation

extension StoreEngine {
    /// Appends a transaction that was made without the writer's lock, if what it takes for granted still holds. One
    /// without changes is only checked.
    ///
    /// Transactions of several threads are written together (`PendingCommits`). What others wrote meanwhile is no
    /// conflict as long as it was other rows. What the store computed may be computed once more.
    ///
    /// An error before the append leaves log and tables as they were. A failed sync leaves it open whether the change
    /// set survives, and nothing more can be saved before the store is opened again.
    package func commit(_ prepared: PreparedTransaction) throws -> CommitResult {
        prepared.result = nil
        if !prepared.changes.isEmpty, prepared.size < Self.sizeLarge {
            prepared.record = log.prepare(.changes(prepared.changes), header: prepared.transaction.header)
        }
        let result = try submit(prepared)
        if let metadata = prepared.transaction.metadata { try? projection.store(metadata: metadata) }
        if prepared.transaction.waitsForRows { projector.waitForRows() }
        return result
    }

    /// From this size on, in bytes, a record is encoded by its append, and the rows are written meanwhile.
    private static let sizeLarge = 1 << 18

    func isLarge(_ prepared: PreparedTransaction) -> Bool {
        projector.isDeferring && prepared.size >= Self.sizeLarge
    }

    /// Lets everybody see a change set that was appended. The caller holds the writer's lock.
    func publish(_ prepared: PreparedTransaction, at mark: LogMark, areRowsWritten: Bool) throws {
        keyAllocator.apply(prepared.changes)
        if !areRowsWritten { try projector.accept(prepared.changes, size: prepared.size, at: mark) }
        prepared.publishRows(mark.head, to: rowCache)
        tableVersions.apply(prepared.changes, at: mark.head)
        observe(mark.head)
    }

    /// Packs sealed segments in the background. A failure changes nothing; `firn pack` shows it.
    package func packIfDue() {
        guard maintenance.beginPacking() else { return }
        Thread.detachNewThread { [maintenance] in
            // No save should wait for it; of Linux's threads each has a priority.
            // https://man7.org/linux/man-pages/man2/setpriority.2.html
            setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
            _ = try? maintenance.pack()
        }
    }
}
