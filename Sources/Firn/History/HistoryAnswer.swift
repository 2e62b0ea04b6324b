import FirnLog
import FirnModel
import Foundation

extension NSPersistentStoreCoordinator {
    /// Answers a history request, from the log of each store that it is about.
    func history(_ request: NSPersistentHistoryChangeRequest) throws -> Any? {
        let stores = (request.affectedStores ?? persistentStores).compactMap { $0 as? LoggedStore }
        for store in stores {
            try store.engine.refresh()
            try store.engine.log.refreshBeginning()
        }
        switch request.task {
        case .delete(let bound):
            for store in stores {
                guard let last = try store.lastRecord(before: bound) else { continue }
                do {
                    _ = try store.engine.trim(through: last, ignoringSubscriptions: false)
                } catch {
                    throw StoreError.saving(error, path: store.placeName)
                }
            }
            return NSNumber(value: true)
        case .fetch(let bound):
            return try answer(request, transactions(stores, after: bound, request))
        case .fetchMatching:
            return try answer(request, transactions(stores, after: .token(nil), request))
        }
    }

    private func transactions(
        _ stores: [LoggedStore], after bound: HistoryBound, _ request: NSPersistentHistoryChangeRequest
    ) throws -> [NSPersistentHistoryTransaction] {
        var transactions: [NSPersistentHistoryTransaction] = []
        let includesChanges = request.resultType != .transactionsOnly
        for store in stores {
            let reader = try store.engine.log.records(after: store.position(after: bound))
            while let record = try reader.next() {
                guard case .changes = record.body else { continue }
                transactions.append(
                    NSPersistentHistoryTransaction(record, store: store, includesChanges: includesChanges))
            }
        }
        return transactions
    }

    private func answer(
        _ request: NSPersistentHistoryChangeRequest, _ transactions: [NSPersistentHistoryTransaction]
    ) throws -> Any? {
        guard let fetch = request.fetchRequest else { return answer(request.resultType, transactions, nil) }
        if fetch.entityName == NSPersistentHistoryChange.historyEntity.name {
            let changes = try HistoryMatching(fetch).select(transactions.flatMap { $0.changes ?? [] })
            let matching = Set(changes.map { ObjectIdentifier($0) })
            let holding = transactions.filter { transaction in
                (transaction.changes ?? []).contains { matching.contains(ObjectIdentifier($0)) }
            }
            return answer(request.resultType, holding, changes)
        }
        return answer(request.resultType, try HistoryMatching(fetch).select(transactions), nil)
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

/// What a fetch request on transactions or changes says, answered in memory.
private struct HistoryMatching {
    let request: NSFetchRequest<any NSFetchRequestResult>

    init(_ request: NSFetchRequest<any NSFetchRequestResult>) throws {
        self.request = request
        let names = [
            NSPersistentHistoryTransaction.historyEntity.name, NSPersistentHistoryChange.historyEntity.name,
        ]
        guard names.contains(request.entityName) else {
            throw CoreDataError.make(
                .persistentStoreOperation,
                "a history request fetches transactions or changes, not \(request.entityName ?? "nothing"): "
                    + "make it with fetchRequest of NSPersistentHistoryTransaction or NSPersistentHistoryChange")
        }
    }

    func select<T: NSObject>(_ all: [T]) throws -> [T] {
        var found = all
        if let predicate = request.predicate { found = found.filter { predicate.evaluate(with: $0) } }
        if let order = request.sortDescriptors, !order.isEmpty {
            found.sort { one, other in
                for descriptor in order {
                    switch descriptor.compare(one, to: other) {
                    case .orderedAscending: return true
                    case .orderedDescending: return false
                    case .orderedSame: continue
                    }
                }
                return false
            }
        }
        found = Array(found.dropFirst(request.fetchOffset))
        return request.fetchLimit > 0 ? Array(found.prefix(request.fetchLimit)) : found
    }
}
