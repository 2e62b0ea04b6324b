#if SwiftData
import Firn
import FirnModel
import FirnStore
public import Foundation

/// A point in the history of a container's stores. Ours, not Apple's.
public enum HistoryMoment: Hashable, Sendable {
    /// After the last transaction that was saved at or before this date.
    case date(Date)
    /// After the transactions that a token has seen.
    case token(DefaultHistoryToken)
    /// After the transaction of this number, in each store.
    case transaction(Int64)
}

extension ModelContainer {
    /// A context that sees the stores as they were at a point of their history. Ours, not Apple's.
    ///
    /// It reads as every context does, and models have the identifiers that they have now. Saving changes in it throws.
    /// Throws `historyTokenExpired` if the history up to the point was deleted, and `unknownSchema` if the stores had
    /// another schema then.
    /// Complexity: a read costs what it costs in the present; the first use builds tables of all versions.
    public final func context(asOf moment: HistoryMoment) throws -> ModelContext {
        let past = try coordinator(asOf: moment)
        guard past.managedObjectModel.entityVersionHashesByName
            == coordinator.managedObjectModel.entityVersionHashesByName
        else {
            throw SwiftDataError.unknownSchema.because(
                "the stores had another schema at \(moment): open them with that schema to read their past")
        }
        return ModelContext(reading: self, coordinator: past)
    }

    private func coordinator(asOf moment: HistoryMoment) throws -> NSPersistentStoreCoordinator {
        do {
            let context = try coordinator.newContext(asOf: try point(moment))
            guard let past = context.persistentStoreCoordinator else {
                fatalError("a context of the past has a coordinator")
            }
            return past
        } catch {
            guard (error as NSError).code == NSPersistentHistoryTokenExpiredError else { throw error }
            throw SwiftDataError.historyTokenExpired.because(
                "the history up to \(moment) was deleted: ask for a later point", error)
        }
    }

    private func point(_ moment: HistoryMoment) throws -> HistoryPoint {
        let current = coordinator.currentPersistentHistoryToken(fromStores: nil)?.transactionNumbers ?? [:]
        let token: NSPersistentHistoryToken
        switch moment {
        case .date(let date): return .date(date)
        case .token(let seen): token = seen.managed
        case .transaction(let number):
            token = NSPersistentHistoryToken(transactionNumbers: current.mapValues { _ in number })
        }
        // A number that has a link may be of another history, which is the coordinator's to find.
        for (store, number) in token.transactionNumbers
        where token.links[store] == nil && number > current[store] ?? .max {
            throw SwiftDataError.invalidTransactionFetchRequest.because(
                "the store \(store) has \(current[store] ?? 0) transactions, and no state after \(number)")
        }
        return .token(token)
    }
}
#endif
