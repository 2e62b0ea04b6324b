package import FirnLog
import FirnModel
import FirnStore
import Foundation

/// A store with its history, held open while somebody reads it.
package struct OpenHistory: @unchecked Sendable {
    let store: NSPersistentStore
    let engine: StoreEngine
    /// The coordinator closes the store when nobody holds it any more.
    private let coordinator: NSPersistentStoreCoordinator?

    /// Nil if the store keeps no history.
    init?(_ store: NSPersistentStore) {
        guard let engine = store.historyEngine else { return nil }
        self.store = store
        self.engine = engine
        coordinator = store.persistentStoreCoordinator
    }

    package var log: SegmentLog { engine.log }

    package var identifier: String { store.identifier }

    var placeName: String { store.placeName }

    /// The token of a record of this store.
    func token(_ sequence: SequenceNumber) -> NSPersistentHistoryToken {
        NSPersistentHistoryToken(identifier, store.position(of: sequence))
    }

    /// Looks for what others wrote and cut off.
    func refresh() throws {
        try engine.refresh()
        try log.refreshBeginning()
    }

    /// The transactions after a record, up to `last`, which is included.
    func transactions(
        after position: SequenceNumber, through last: SequenceNumber? = nil
    ) throws -> [NSPersistentHistoryTransaction] {
        var transactions: [NSPersistentHistoryTransaction] = []
        let reader = try log.records(after: position)
        while let record = try reader.next(), record.sequence <= last ?? record.sequence {
            guard case .changes = record.body else { continue }
            transactions.append(try NSPersistentHistoryTransaction(record, store: store))
        }
        return transactions
    }

    /// The numbers of the transactions after a record, up to `last`, which is included. Reads the headers of records.
    func transactionNumbers(
        after position: SequenceNumber, through last: SequenceNumber? = nil
    ) throws -> [SequenceNumber] {
        var numbers: [SequenceNumber] = []
        let reader = try log.records(after: position)
        while let frame = try reader.nextFrameInfo(), frame.sequence <= last ?? frame.sequence {
            if frame.kind == .changes { numbers.append(frame.sequence) }
        }
        return numbers
    }
}

extension Date {
    /// Since 1970, as the log counts. Dates that 64 bits cannot hold are the nearest they can.
    var microseconds: Int64 {
        let value = (timeIntervalSince1970 * 1e6).rounded(.down)
        return Int64(exactly: value) ?? (value < 0 ? .min : .max)
    }
}
