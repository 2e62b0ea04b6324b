import FirnLog
package import Foundation

/// The part of a history that is read.
package struct HistoryRange: Sendable {
    /// By store, the transaction after which the range begins. A store without one is read from its beginning.
    package var after: [String: Int64] = [:]
    /// By store, the last transaction of the range. A store without one is read to its end.
    package var through: [String: Int64] = [:]
    /// Tokens whose records have to be there. If one is of another history of its store, reading throws 134301.
    package var tokens: [NSPersistentHistoryToken] = []
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

extension OpenHistory {
    /// Calls `body` with the transactions of a range in the order in which they were saved, until it returns false.
    /// Records outside of the range are not read.
    ///
    /// Throws 134301 if the history after the range's beginning was deleted.
    package func read(_ range: HistoryRange, _ body: (NSPersistentHistoryTransaction) throws -> Bool) throws {
        guard range.stores?.contains(identifier) ?? true else { return }
        for token in range.tokens { try checkLink(of: token) }
        let token = range.after[identifier].map { NSPersistentHistoryToken(transactionNumbers: [identifier: $0]) }
        var begin = try position(after: .token(token))
        if let first = range.first { begin = max(begin, Self.sequence(first > .min ? first - 1 : first)) }
        if let since = range.since { begin = max(begin, try position(after: .date(since))) }
        let ends = [range.through[identifier], range.last].compactMap { $0 }.map(Self.sequence)
        var end = ends.reduce(log.head, min)
        if let until = range.until { end = min(end, try log.sequence(atOrBefore: until.microseconds)) }
        if end <= begin { return }
        let reader = try log.records(after: begin)
        while let record = try reader.next(), record.sequence <= end {
            guard case .changes = record.body else { continue }
            let transaction = try NSPersistentHistoryTransaction(record, store: store)
            guard try body(transaction) else { return }
        }
    }

    private static func sequence(_ number: Int64) -> SequenceNumber { SequenceNumber(UInt64(max(number, 0))) }
}
