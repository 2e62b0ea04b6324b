package import FirnLog
import FirnModel
import FirnStore
import Foundation

extension NSPersistentStoreCoordinator {
    /// The transactions after a token, then those to come; all that there are without one.
    /// - Parameter store: by default the coordinator's first one that keeps a history.
    public func historyFeed(
        of store: NSPersistentStore? = nil, after token: NSPersistentHistoryToken? = nil
    ) throws -> HistoryFeed {
        let history = try openHistory(of: store)
        try token?.check(stores: persistentStores.compactMap(\.identifier))
        return HistoryFeed(history, after: token?.positions[history.identifier] ?? LogPosition(history.log.baseline))
    }

    /// The subscription of that name, which comes to be with its first `run`.
    /// - Parameters:
    ///   - name: at most 64 letters, digits, dots, dashes and underscores.
    ///   - store: by default the coordinator's first one that keeps a history.
    public func historySubscription(
        named name: String, of store: NSPersistentStore? = nil,
        options: HistorySubscription.Options = HistorySubscription.Options()
    ) throws -> HistorySubscription {
        HistorySubscription(name, try openHistory(of: store), options)
    }
}

extension OpenHistory {
    /// A context that shows the store as it was after a record.
    package func state(after position: SequenceNumber) throws -> NSManagedObjectContext {
        guard let coordinator = store.persistentStoreCoordinator else {
            throw CoreDataError.make(.persistentStoreOperation, "the store was removed from its coordinator")
        }
        return try coordinator.newContext(asOf: .token(token(position)))
    }
}
