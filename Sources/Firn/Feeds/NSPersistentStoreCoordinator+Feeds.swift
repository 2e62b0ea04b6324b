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
        return HistoryFeed(history, after: token?.positions[history.identifier] ?? history.log.baseline)
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

extension HistorySubscription {
    /// Delivers all that has not been delivered yet, then what comes, until the task is cancelled.
    ///
    /// - Parameters:
    ///   - stopsWhenDelivered: returns when there is nothing more for now.
    ///   - baseline: called when transactions were deleted that the subscription has not seen, with a context that
    ///     shows the state behind them; by default this is skipped.
    ///   - deliver: is given the transactions. They are delivered again if it throws.
    /// - Throws: what keeps history from being read or the place from being stored; another `run` of the same name.
    public func run(
        stopsWhenDelivered: Bool = false,
        baseline: @Sendable (NSManagedObjectContext) async throws -> Void = { _ in },
        _ deliver: @Sendable ([NSPersistentHistoryTransaction]) async throws -> Void
    ) async throws {
        try await deliverAll(
            stopsWhenDelivered: stopsWhenDelivered, baseline: { try await baseline(history.state(at: $0)) }, deliver)
    }
}

extension OpenHistory {
    /// A context that shows the store as it was at a token.
    func state(at token: NSPersistentHistoryToken) throws -> NSManagedObjectContext {
        guard let coordinator = store.keeper as? NSPersistentStoreCoordinator else {
            throw CoreDataError.make(.persistentStoreOperation, "the store was removed from its coordinator")
        }
        return try coordinator.newContext(asOf: .token(token))
    }
}
