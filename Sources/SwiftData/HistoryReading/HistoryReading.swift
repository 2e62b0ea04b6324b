#if SwiftData
import Firn
import FirnModel
import FirnStore
import Foundation

/// Finds the transactions that a descriptor describes.
struct HistoryReading {
    let context: ModelContext
    let descriptor: HistoryDescriptor<DefaultHistoryTransaction>
    /// How many transactions were read to find those.
    private(set) var readCount = 0

    init(_ context: ModelContext, _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) {
        (self.context, self.descriptor) = (context, descriptor)
    }

    /// A transaction, and what it is made of.
    private struct Candidate {
        let source: NSPersistentHistoryTransaction
        let transaction: DefaultHistoryTransaction
    }

    mutating func run() throws -> [DefaultHistoryTransaction] {
        let predicate = HistoryPredicate(descriptor.predicate)
        let limit = descriptor.fetchLimit == 0 ? Int.max : Int(clamping: descriptor.fetchLimit)
        let making = HistoryMaking(container: context.container)
        var found: [Candidate] = []
        var readCount = 0
        defer { self.readCount = readCount }
        try read(predicate.range) { source in
            readCount += 1
            let transaction = predicate.readsHeadsOnly ? making.head(of: source) : making.transaction(source)
            guard try descriptor.predicate?.evaluate(transaction) ?? true else { return true }
            found.append(Candidate(source: source, transaction: transaction))
            return !descriptor.sortBy.isEmpty || found.count < limit
        }
        if !descriptor.sortBy.isEmpty { found = sorted(found) }
        return found.prefix(limit).map { predicate.readsHeadsOnly ? making.transaction($0.source) : $0.transaction }
    }

    private func sorted(_ found: [Candidate]) -> [Candidate] {
        found.sorted { left, right in
            for sort in descriptor.sortBy {
                switch sort.compare(left.transaction, right.transaction) {
                case .orderedAscending: return true
                case .orderedDescending: return false
                case .orderedSame: continue
                }
            }
            return false
        }
    }

    /// The numbers of all transactions of a store, up to one.
    func numbers(of store: String, through last: Int64) throws -> [Int64] {
        var range = HistoryRange()
        range.stores = [store]
        range.last = last
        var numbers: [Int64] = []
        try read(range) { transaction in
            numbers.append(transaction.transactionNumber)
            return true
        }
        return numbers
    }

    private func read(_ range: HistoryRange, _ body: (NSPersistentHistoryTransaction) throws -> Bool) throws {
        do {
            try context.coordinator.readHistory(range, body)
        } catch {
            throw Self.named(error)
        }
    }

    /// The error of an expired token under its name here.
    static func named(_ error: any Error) -> any Error {
        guard (error as NSError).code == NSPersistentHistoryTokenExpiredError else { return error }
        return SwiftDataError.historyTokenExpired.because(
            "the history that follows the token was deleted, or is another one, as after a backup was put back: read "
                + "the models as they are, and continue from the token of the last transaction", error)
    }
}
#endif
