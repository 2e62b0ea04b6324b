import FirnModel
import Foundation

extension NSPersistentStoreCoordinator {
    /// Answers a history request, from the log of each store that it is about.
    func history(_ request: NSPersistentHistoryChangeRequest) throws -> Any? {
        let stores = (request.affectedStores ?? persistentStores).compactMap(\.loggedStore)
        for store in stores {
            try store.engine.refresh()
            try store.engine.log.refreshBeginning()
        }
        switch request.task {
        case .delete(let bound):
            return try deleteHistory(before: bound, stores, request)
        case .fetch(let bound):
            return try answer(request, transactions(stores, after: bound, request))
        case .fetchMatching:
            return try answer(request, transactions(stores, after: .token(nil), request))
        }
    }

    private func transactions(
        _ stores: [LoggedStore], after bound: HistoryBound, _ request: NSPersistentHistoryChangeRequest
    ) throws -> [NSPersistentHistoryTransaction] {
        let includesChanges = request.resultType != .transactionsOnly
        return try stores.flatMap {
            try $0.transactions(after: $0.position(after: bound), includesChanges: includesChanges)
        }
    }

    private func answer(
        _ request: NSPersistentHistoryChangeRequest, _ transactions: [NSPersistentHistoryTransaction]
    ) throws -> Any? {
        guard let fetch = request.fetchRequest else { return answer(request.resultType, transactions, nil) }
        let matching = try HistoryMatching(fetch)
        if matching.fetchesChanges {
            let changes = try matching.select(transactions.flatMap { $0.changes ?? [] })
            let found = Set(changes.map { ObjectIdentifier($0) })
            let holding = transactions.filter { transaction in
                (transaction.changes ?? []).contains { found.contains(ObjectIdentifier($0)) }
            }
            return answer(request.resultType, holding, changes)
        }
        return answer(request.resultType, try matching.select(transactions), nil)
    }

    /// `changes` are those of a fetch of changes; else all of the transactions are meant.
    private func answer(
        _ type: NSPersistentHistoryResultType, _ transactions: [NSPersistentHistoryTransaction],
        _ changes: [NSPersistentHistoryChange]?
    ) -> Any? {
        let all = changes ?? transactions.flatMap { $0.changes ?? [] }
        switch type {
        case .statusOnly: return NSNumber(value: true)
        case .count: return NSNumber(value: changes?.count ?? transactions.count)
        case .transactionsOnly, .transactionsAndChanges: return transactions
        case .changesOnly: return all
        case .objectIDs: return all.map(\.changedObjectID)
        }
    }
}
