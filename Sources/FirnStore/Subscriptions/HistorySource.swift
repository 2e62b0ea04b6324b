package import FirnLog
import FirnModel
import Foundation

/// Reads a store's records in order, waits for more, and notices what was cut off. Used by one task at a time.
package final class HistorySource: @unchecked Sendable {
    package enum Finding {
        case record(LogRecord)
        /// The records up to this one were cut off before they were given.
        case trimmed(SequenceNumber)
        case nothing
    }

    package let history: OpenHistory
    package private(set) var position: SequenceNumber
    private var reader: LogReader?
    private var watcher: LogWatcher?

    private var log: SegmentLog { history.log }

    package init(_ history: OpenHistory, after position: SequenceNumber) {
        self.history = history
        self.position = position
    }

    /// The next record, once it is as durable as the store promises.
    package func next() throws -> Finding {
        if reader == nil {
            _ = try log.refresh()
            try log.refreshBeginning()
            if position < log.baseline { return skip() }
            reader = try log.records(after: position)
        }
        do {
            guard let record = try reader?.next() else { return .nothing }
            // A reader acts on the record, so a power failure must not undo it.
            if log.isWritable { try log.acknowledge(through: record.sequence) }
            position = record.sequence
            return .record(record)
        } catch let error as LogError where error.code == .missing {
            guard position < log.baseline else { throw error }
            return skip()
        }
    }

    private func skip() -> Finding {
        position = log.baseline
        reader = nil
        return .trimmed(position)
    }

    /// Returns when there may be more; false if the task was cancelled or the store is closed.
    package func wait() async throws -> Bool {
        if watcher == nil {
            watcher = try LogWatcher(log)
            // Nobody reports what was saved before the watch began.
            return !Task.isCancelled
        }
        guard let watcher else { return false }
        let position = position
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let thread = Thread {
                    continuation.resume(returning: (try? watcher.wait(after: position)) ?? false)
                }
                thread.name = "firn feed"
                thread.start()
            }
        } onCancel: {
            watcher.cancel()
        }
    }

    package func transaction(_ record: LogRecord) -> NSPersistentHistoryTransaction {
        NSPersistentHistoryTransaction(record, store: history.store, includesChanges: true)
    }

    deinit { watcher?.cancel() }
}
