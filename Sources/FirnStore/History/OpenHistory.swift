package import FirnLog
import FirnModel
package import Foundation

/// The open store whose history is read.
package protocol HistoryOwner: RowOwner {
    /// The store's UUID.
    var identifier: String! { get }
    /// The engine that reads and writes the store's log; nil for a store that keeps no history, or is not open yet.
    var historyEngine: StoreEngine? { get }
    /// Where the store is, for messages: never with a password.
    var placeName: String { get }
    /// The object that has the store open, and closes it when nobody holds it any more.
    var keeper: AnyObject? { get }
    /// The notification that a save of this record would have posted, with object IDs.
    func savedNotification(of record: LogRecord) -> Notification
}

/// A store with its history, held open while somebody reads it.
package struct OpenHistory: @unchecked Sendable {
    package let store: any HistoryOwner
    package let engine: StoreEngine
    private let keeper: AnyObject?

    /// Nil if the store keeps no history.
    package init?(_ store: any HistoryOwner) {
        guard let engine = store.historyEngine else { return nil }
        self.store = store
        self.engine = engine
        keeper = store.keeper
    }

    package var log: SegmentLog { engine.log }

    package var identifier: String { store.identifier }

    package var placeName: String { store.placeName }

    /// The token of a record of this store.
    package func token(_ sequence: SequenceNumber) -> NSPersistentHistoryToken {
        NSPersistentHistoryToken([identifier: sequence])
    }

    /// Looks for what others wrote and cut off.
    package func refresh() throws {
        try engine.refresh()
        try log.refreshBeginning()
    }

    /// The transactions after a record, up to `last`, which is included.
    package func transactions(
        after position: SequenceNumber, through last: SequenceNumber? = nil, includesChanges: Bool
    ) throws -> [NSPersistentHistoryTransaction] {
        var transactions: [NSPersistentHistoryTransaction] = []
        let reader = try log.records(after: position)
        while let record = try reader.next(), record.sequence <= last ?? record.sequence {
            guard case .changes = record.body else { continue }
            transactions.append(
                NSPersistentHistoryTransaction(record, store: store, includesChanges: includesChanges))
        }
        return transactions
    }

    /// The numbers of the transactions up to a record, which is included. Reads the headers of records.
    func transactionNumbers(through last: SequenceNumber) throws -> [SequenceNumber] {
        var numbers: [SequenceNumber] = []
        let reader = try log.records(after: log.baseline)
        while let frame = try reader.nextFrameInfo(), frame.sequence <= last {
            if frame.kind == .changes { numbers.append(frame.sequence) }
        }
        return numbers
    }
}

extension Date {
    /// Since 1970, as the log counts. Dates that 64 bits cannot hold are the nearest they can.
    package var microseconds: Int64 {
        let value = (timeIntervalSince1970 * 1e6).rounded(.down)
        return Int64(exactly: value) ?? (value < 0 ? .min : .max)
    }
}
