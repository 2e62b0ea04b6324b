#if SwiftData
import Firn
import FirnStore
import Foundation

extension ModelContext {
    /// The transactions that a descriptor describes, of all stores of the container.
    ///
    /// Reads what the predicate says of tokens, numbers, dates and stores: what follows a token costs the same however
    /// long the history is. Throws `historyTokenExpired` if the history after a token of the predicate was deleted.
    /// https://developer.apple.com/documentation/swiftdata/modelcontext/fetchhistory(_:)
    public final func fetchHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T] {
        if let found = try storeTransactions(descriptor) { return found }
        if let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> {
            var reading = HistoryReading(self, descriptor)
            if let found = try reading.run() as? [T] { return found }
        }
        throw SwiftDataError.invalidTransactionFetchRequest.because(
            "these stores have transactions of \(DefaultHistoryTransaction.self), not of \(T.self)")
    }

    /// Deletes the transactions that a descriptor describes. They have to be the oldest of their store: a history has
    /// no gaps.
    public final func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws {
        if try deleteStoreTransactions(descriptor) { return }
        guard let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else {
            throw SwiftDataError.invalidTransactionFetchRequest.because(
                "these stores have transactions of \(DefaultHistoryTransaction.self), not of \(T.self)")
        }
        var reading = HistoryReading(self, descriptor)
        var ends: [String: Int64] = [:]
        for (store, chosen) in Dictionary(grouping: try reading.run(), by: \.storeIdentifier) {
            let numbers = Set(chosen.map(\.transactionIdentifier))
            guard let last = numbers.max() else { continue }
            guard try reading.numbers(of: store, through: last).allSatisfy(numbers.contains) else {
                throw SwiftDataError.invalidTransactionFetchRequest.because(
                    "transactions are deleted from the oldest on: choose all up to one")
            }
            ends[store] = last
        }
        try deleteHistory(through: ends)
    }

    /// Deletes all transactions of the stores of this module.
    final func deleteAllHistory() throws {
        let last = coordinator.currentPersistentHistoryToken(fromStores: nil)
        try deleteHistory(through: last?.transactionNumbers ?? [:])
    }

    private func deleteHistory(through ends: [String: Int64]) throws {
        for (store, last) in ends {
            // What is before the next transaction goes.
            let next = NSPersistentHistoryToken(transactionNumbers: [store: last + 1])
            _ = try managed.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: next))
        }
    }
}
#endif
