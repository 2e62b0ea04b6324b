package import FirnLog
import FirnModel
import FirnStore
import Foundation

/// Reads a store's records in order, waits for more, and notices what was cut off. Used by one task at a time.
package final class HistorySource {
    package enum Finding {
        case record(LogRecord)
        /// The records up to this one were cut off before they were given.
        case trimmed(SequenceNumber)
        case nothing
    }

    let history: OpenHistory
    package private(set) var position: SequenceNumber
    private var reader: LogReader?
    private var growth: AsyncStream<Void>.Iterator?

    private var log: SegmentLog { history.log }

    package init(_ history: OpenHistory, after position: SequenceNumber) {
        self.history = history
        self.position = position
    }

    /// The next record, once it is as durable as the store promises. Throws 134301 at a position behind the end.
    package func next() throws -> Finding {
        // What another program erased is not read any more.
        _ = try? log.refresh()
        if reader == nil {
            try log.refreshBeginning()
            try history.check(position)
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
    func wait() async -> Bool {
        if growth == nil {
            history.engine.watch()
            growth = history.engine.feed.growth().makeAsyncIterator()
            // Nobody tells what was saved before.
            return !Task.isCancelled
        }
        return await growth?.next() != nil
    }

    package func transaction(_ record: LogRecord) throws -> NSPersistentHistoryTransaction {
        try NSPersistentHistoryTransaction(record, store: history.store)
    }
}
