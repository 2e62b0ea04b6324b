#if SwiftData
import Firn
import FirnModel
import FirnRuntime
import Foundation

extension ModelContext {
    /// The transactions that a descriptor describes, of all stores of the container. Reads the whole history.
    public final func fetchHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T] {
        if let found = try storeTransactions(descriptor) { return found }
        guard let all = try transactions().map({ transaction($0) }) as? [T] else {
            throw SwiftDataError.invalidTransactionFetchRequest.because(
                "these stores have transactions of \(DefaultHistoryTransaction.self), not of \(T.self)")
        }
        var found = try descriptor.predicate.map { predicate in try all.filter(predicate.evaluate) } ?? all
        if !descriptor.sortBy.isEmpty { found.sort(using: descriptor.sortBy) }
        let limit = descriptor.fetchLimit
        return limit == 0 ? found : Array(found.prefix(Int(clamping: limit)))
    }

    /// Deletes the transactions that a descriptor describes. They have to be the oldest: a history has no gaps.
    public final func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws {
        if try deleteStoreTransactions(descriptor) { return }
        let chosen = Set(try fetchHistory(descriptor).compactMap { ($0 as? DefaultHistoryTransaction)?.token })
        if chosen.isEmpty { return }
        let all = try transactions()
        let rest = all.filter { !chosen.contains(token($0)) }
        let newestChosen = all.last { chosen.contains(token($0)) }?.transactionNumber ?? 0
        guard rest.allSatisfy({ $0.transactionNumber > newestChosen }) else {
            throw SwiftDataError.invalidTransactionFetchRequest.because(
                "transactions are deleted from the oldest on: choose all up to one")
        }
        let request = rest.first.map { NSPersistentHistoryChangeRequest.deleteHistory(before: $0) }
            ?? NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture)
        _ = try managed.execute(request)
    }

    private func transactions() throws -> [NSPersistentHistoryTransaction] {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let answer = try managed.execute(request) as? NSPersistentHistoryResult
        return answer?.result as? [NSPersistentHistoryTransaction] ?? []
    }

    private func token(_ transaction: NSPersistentHistoryTransaction) -> DefaultHistoryToken {
        DefaultHistoryToken(tokenValue: [transaction.storeID: transaction.transactionNumber])
    }

    private func transaction(_ transaction: NSPersistentHistoryTransaction) -> DefaultHistoryTransaction {
        DefaultHistoryTransaction(
            timestamp: transaction.timestamp,
            changes: (transaction.changes ?? []).compactMap { change($0, transaction.transactionNumber) },
            token: token(transaction), transactionIdentifier: transaction.transactionNumber,
            storeIdentifier: transaction.storeID, bundleIdentifier: transaction.bundleID,
            processIdentifier: transaction.processID, author: transaction.author)
    }

    private func change(_ change: NSPersistentHistoryChange, _ number: Int64) -> HistoryChange? {
        func make<Model: PersistentModel>(_ type: Model.Type) -> HistoryChange? {
            let identifier = PersistentIdentifier(change.changedObjectID)
            switch change.changeType {
            case .insert:
                return .insert(
                    DefaultHistoryInsert<Model>(
                        changeIdentifier: change.changeID, transactionIdentifier: number,
                        changedPersistentIdentifier: identifier))
            case .update:
                return .update(
                    DefaultHistoryUpdate<Model>(
                        changeIdentifier: change.changeID, transactionIdentifier: number,
                        changedPersistentIdentifier: identifier, updatedAttributes: keyPaths(of: change)))
            case .delete:
                return .delete(
                    DefaultHistoryDelete<Model>(
                        changeIdentifier: change.changeID, transactionIdentifier: number,
                        changedPersistentIdentifier: identifier, tombstone: tombstone(of: change)))
            @unknown default: return nil
            }
        }
        return make(container.type(of: change.changedObjectID.entity))
    }

    /// In the order in which the class declares them.
    private func keyPaths<Model: PersistentModel>(
        of change: NSPersistentHistoryChange
    ) -> [any PartialKeyPath<Model> & Sendable] {
        let names = Set(
            (change.updatedProperties ?? []).map { property in
                // A part of a structure is `place.city`.
                property.name.split(separator: ".").first.map(String.init) ?? property.name
            })
        return ModelShape.of(Model.self).properties.filter { names.contains($0.name) }
            .compactMap { ($0.keyPath as? PartialKeyPath<Model>).map { AssumedSendable.keyPath($0) } }
    }

    private func tombstone<Model: PersistentModel>(of change: NSPersistentHistoryChange) -> HistoryTombstone<Model> {
        var values: [String: any Sendable] = [:]
        for (name, value) in change.tombstone ?? [:] {
            guard let name = name as? String, let property = ModelShape.of(Model.self).property(named: name),
                case .attribute(let column) = property.kind
            else { continue }
            values[name] = AssumedSendable.value(column?.anyValue(value) ?? value)
        }
        return HistoryTombstone(values: values)
    }
}
#endif
