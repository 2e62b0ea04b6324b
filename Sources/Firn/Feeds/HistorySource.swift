package import FirnLog
import FirnModel
import FirnStore
import Foundation

/// Reads a store's records in order, waits for more, and notices what was cut off. Used by one task at a time.
package final class HistorySource {
    package enum Finding {
        case record(LogRecord)
        /// The record whose state the reader starts with, as the next records are missing: the history up to it was cut
        /// off, or it is the last one and the reader's place is of another history.
        case restart(LogPosition)
        case nothing
    }

    let history: OpenHistory
    package private(set) var position: LogPosition
    private var reader: LogReader?
    private var growth: AsyncStream<Void>.Iterator?

    private var log: SegmentLog { history.log }

    package init(_ history: OpenHistory, after position: LogPosition) {
        self.history = history
        self.position = position
    }

    /// The next record, once it is as durable as the store promises.
    package func next() throws -> Finding {
        // What another program erased is not read any more.
        _ = try? log.refresh()
        if reader == nil {
            try log.refreshBeginning()
            guard log.agrees(with: position) else { return try restart(after: log.head) }
            if position.sequence < log.baseline { return try restart(after: log.baseline) }
            // A copy that is behind its server compares the record when it comes.
            if position.sequence > log.head { return .nothing }
            reader = try log.records(after: position.sequence)
        }
        do {
            guard let record = try reader?.next() else { return .nothing }
            // A reader acts on the record, so a power failure must not undo it.
            if log.isWritable { try log.acknowledge(through: record.sequence) }
            position = record.position
            return .record(record)
        } catch let error as LogError where error.code == .missing {
            guard position.sequence < log.baseline else { throw error }
            return try restart(after: log.baseline)
        }
    }

    private func restart(after sequence: SequenceNumber) throws -> Finding {
        if log.isWritable { try log.acknowledge(through: sequence) }
        position = log.position(of: sequence)
        reader = nil
        return .restart(position)
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
