import FirnLog
import FirnModel
import FirnStore
import Foundation

extension NSPersistentStoreCoordinator {
    /// The history of a store, or of the first one that keeps any.
    package func openHistory(of store: NSPersistentStore?) throws -> OpenHistory {
        let candidates = store.map { [$0] } ?? persistentStores
        if let history = candidates.compactMap({ OpenHistory($0) }).first { return history }
        throw CoreDataError.make(
            .persistentStoreOperation,
            "the coordinator has no store that keeps a history: add one, or name another")
    }

    /// Calls `body` with the transactions of a range, store by store, in the order in which they were saved, until it
    /// returns false for the store. Records outside of the range are not read.
    ///
    /// Throws 134301 if the history after the range's beginning was deleted.
    package func readHistory(
        _ range: HistoryRange, _ body: (NSPersistentHistoryTransaction) throws -> Bool
    ) throws {
        let token = NSPersistentHistoryToken(transactionNumbers: range.after)
        try token.check(stores: persistentStores.compactMap(\.identifier))
        for history in persistentStores.compactMap({ OpenHistory($0) }) {
            try history.refresh()
            try history.read(range, body)
        }
    }

    /// Deletes the history that is not to be kept. The state that it made stays, as the baseline that tables are
    /// built from. Contexts as of a deleted point can no longer be made.
    ///
    /// - Parameters:
    ///   - store: by default the coordinator's first one that keeps a history.
    ///   - ignoringSubscriptions: deletes also what a subscription has not seen; it is then given the baseline.
    /// - Returns: the token of the last transaction that is gone.
    @discardableResult
    public func trimHistory(
        of store: NSPersistentStore? = nil, keeping retention: HistoryRetention, ignoringSubscriptions: Bool = false
    ) throws -> NSPersistentHistoryToken {
        let history = try openHistory(of: store)
        try history.refresh()
        let last = try retention.lastDispensable(of: history.log, now: SystemClock.now())
        return history.token(try history.engine.trim(through: last, ignoringSubscriptions: ignoringSubscriptions))
    }
}

extension NSPersistentHistoryChangeRequest: ContextRequest {
    func execute(
        in context: NSManagedObjectContext, _ coordinator: NSPersistentStoreCoordinator
    ) throws -> NSPersistentStoreResult {
        let stores = (affectedStores ?? coordinator.persistentStores).compactMap { OpenHistory($0) }
        let known = coordinator.persistentStores.compactMap(\.identifier)
        return NSPersistentHistoryResult(try HistoryAnswer(self, of: stores, among: known).result(), resultType)
    }
}
