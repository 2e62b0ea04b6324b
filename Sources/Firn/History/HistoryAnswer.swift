import FirnLog
import FirnModel
import FirnStore
import Foundation

/// Answers a history request, from the logs of the stores that it is about.
struct HistoryAnswer {
    private let request: NSPersistentHistoryChangeRequest
    private let stores: [OpenHistory]
    /// The identifiers of all stores that a token may tell of.
    private let known: [String]

    init(_ request: NSPersistentHistoryChangeRequest, of stores: [OpenHistory], among known: [String]) {
        self.request = request
        self.stores = stores
        self.known = known
    }

    /// The result in the form that the request's result type names.
    func result() throws -> Any {
        for store in stores { try store.refresh() }
        switch request.task {
        case .delete(let bound): return try deleteHistory(before: bound)
        case .fetch(let bound):
            if case .token(let token) = bound { try token?.check(stores: known) }
            if request.fetchRequest == nil, [.statusOnly, .count].contains(request.resultType) {
                let count = try stores.reduce(0) {
                    try $0 + $1.transactionNumbers(after: $1.position(after: bound)).count
                }
                return request.resultType == .count ? NSNumber(value: count) : NSNumber(value: true)
            }
            return try answer(transactions(after: bound))
        case .fetchMatching: return try answer(transactions(after: .token(nil)))
        }
    }

    private func transactions(after bound: HistoryBound) throws -> [NSPersistentHistoryTransaction] {
        try stores.flatMap { try $0.transactions(after: $0.position(after: bound)) }
    }

    private func answer(_ transactions: [NSPersistentHistoryTransaction]) throws -> Any {
        guard let fetch = request.fetchRequest else { return answer(transactions, nil) }
        let matching = try HistoryMatching(fetch)
        if matching.fetchesChanges {
            let changes = try matching.select(transactions.flatMap { $0.changes ?? [] })
            let found = Set(changes.map { ObjectIdentifier($0) })
            let holding = transactions.filter { transaction in
                (transaction.changes ?? []).contains { found.contains(ObjectIdentifier($0)) }
            }
            return answer(holding, changes)
        }
        return answer(try matching.select(transactions), nil)
    }

    /// `changes` are those of a fetch of changes; else all of the transactions are meant.
    private func answer(
        _ transactions: [NSPersistentHistoryTransaction], _ changes: [NSPersistentHistoryChange]?
    ) -> Any {
        let all = changes ?? transactions.flatMap { $0.changes ?? [] }
        switch request.resultType {
        case .statusOnly: return NSNumber(value: true)
        case .count: return NSNumber(value: changes?.count ?? transactions.count)
        case .transactionsOnly: return transactions.map(\.withoutChanges)
        case .transactionsAndChanges: return transactions
        case .changesOnly: return all
        case .objectIDs: return all.map(\.changedObjectID)
        }
    }
}

/// Deleting history.
extension HistoryAnswer {
    private typealias End = (store: OpenHistory, last: SequenceNumber)

    /// Deletes the history before a bound, of that the longest run from the beginning of which the request's
    /// `fetchRequest` matches every transaction: what it does not match stays, and so does all that came after it.
    ///
    /// Returns how many transactions were deleted if the request asks for a count, else true.
    private func deleteHistory(before bound: HistoryBound) throws -> NSNumber {
        var ends: [End] = []
        for store in stores {
            guard let last = try store.lastRecord(before: bound) else { continue }
            ends.append((store, last))
        }
        if let fetch = request.fetchRequest { ends = try matchingRuns(of: ends, fetch) }
        var count = 0
        for (store, last) in ends {
            let candidates = request.resultType == .count
                ? try store.transactionNumbers(after: store.log.baseline, through: last) : []
            do {
                let trimmed = try store.engine.trim(through: last, ignoringSubscriptions: false)
                count += candidates.count { $0 <= trimmed }
            } catch {
                throw StoreError.saving(error, path: store.placeName)
            }
        }
        return request.resultType == .count ? NSNumber(value: count) : NSNumber(value: true)
    }

    /// For each store the last transaction of the matching ones that its history begins with; none without one.
    private func matchingRuns(of ends: [End], _ fetch: NSFetchRequest<any NSFetchRequestResult>) throws -> [End] {
        let matching = try HistoryMatching(fetch)
        let candidates = try ends.map { store, last in
            try store.transactions(after: store.log.baseline, through: last)
        }
        let selected = try matching.transactions(candidates.flatMap { $0 })
        return zip(ends, candidates).compactMap { end, transactions in
            let run = transactions.prefix { selected.contains(ObjectIdentifier($0)) }
            return run.last.map { (end.store, $0.record.sequence) }
        }
    }
}
