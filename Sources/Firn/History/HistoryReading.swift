import FirnLog
import FirnModel
import FirnStore
package import Foundation

/// Which part of a history is read.
package struct HistoryRange: Sendable {
    /// By store, the transaction after which the range begins. A store without one is read from its beginning.
    package var after: [String: Int64] = [:]
    /// By store, the last transaction of the range. A store without one is read to its end.
    package var through: [String: Int64] = [:]
    /// The least number of a transaction, in each store.
    package var first: Int64?
    /// The greatest number of a transaction, in each store.
    package var last: Int64?
    /// Transactions at or before this date are left out.
    package var since: Date?
    /// Transactions after this date are left out.
    package var until: Date?
    /// The stores that are read; nil for all.
    package var stores: Set<String>?

    package init() {}
}

extension NSPersistentStoreCoordinator {
    /// Calls `body` with the transactions of a range, store by store, in the order in which they were saved, until it
    /// returns false for the store. Records outside of the range are not read.
    ///
    /// Throws 134301 if the history after the range's beginning was deleted.
    package func readHistory(
        _ range: HistoryRange, _ body: (NSPersistentHistoryTransaction) throws -> Bool
    ) throws {
        for store in persistentStores.compactMap(\.loggedStore)
        where range.stores?.contains(store.identifier) ?? true {
            try store.engine.refresh()
            try store.engine.log.refreshBeginning()
            try store.readHistory(range, body)
        }
    }
}

extension LoggedStore {
    fileprivate func readHistory(
        _ range: HistoryRange, _ body: (NSPersistentHistoryTransaction) throws -> Bool
    ) throws {
        let token = range.after[identifier].map { NSPersistentHistoryToken(transactionNumbers: [identifier: $0]) }
        var position = try position(after: .token(token))
        if let first = range.first { position = max(position, SequenceNumber(UInt64(max(first - 1, 0)))) }
        if let since = range.since { position = max(position, try self.position(after: .date(since))) }
        let ends = [range.through[identifier], range.last].compactMap { $0 }
        var last = ends.min().map { SequenceNumber(UInt64(max($0, 0))) }
        if let until = range.until {
            let end = try engine.log.sequence(atOrBefore: until.microseconds)
            last = last.map { min($0, end) } ?? end
        }
        if let last, last <= position { return }
        let reader = try engine.log.records(after: position)
        while let record = try reader.next(), record.sequence <= last ?? record.sequence {
            guard case .changes = record.body else { continue }
            let transaction = NSPersistentHistoryTransaction(record, store: self, includesChanges: true)
            guard try body(transaction) else { return }
        }
    }
}
