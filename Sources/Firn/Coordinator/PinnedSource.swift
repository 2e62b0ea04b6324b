import FirnRuntime
import FirnStore
import FirnLog
import FirnModel
import FirnProjection
import Synchronization

/// The source of a context's reads while it is pinned to a query generation: the stores as they were at one point,
/// under the IDs that they have now.
///
///     current        nothing read yet; the first read takes the stores' position
///     a token        every store as it was after the record that the token names for it
///
/// Thread-safe, as an asynchronous fetch reads elsewhere than on the context's queue.
final class PinnedSource: StoreSource, @unchecked Sendable {
    private unowned let coordinator: NSPersistentStoreCoordinator
    /// Whose pin it is: incremental stores are told who asks.
    private let context: WeakReference<NSManagedObjectContext>
    /// Whether the pin goes with what the context merges, and so may be moved by contexts that follow by themselves.
    let followsCurrent: Bool
    private let state: Mutex<State>

    private struct State {
        var token: NSQueryGenerationToken
        var backends: [ObjectIdentifier: any StoreBackend] = [:]
    }

    init(
        _ token: NSQueryGenerationToken, of coordinator: NSPersistentStoreCoordinator,
        for context: NSManagedObjectContext
    ) {
        self.context = WeakReference(context)
        state = Mutex(State(token: token))
        self.coordinator = coordinator
        followsCurrent = token.token == nil
    }

    var persistentStores: [NSPersistentStore] { coordinator.persistentStores }

    var token: NSQueryGenerationToken { state.withLock { $0.token } }

    func backend(of store: NSPersistentStore) throws -> (any StoreBackend)? {
        if store.followsContexts { return context.object.flatMap(store.backend(for:)) ?? store.backend }
        guard let engine = store.backend?.engine else { return store.backend }
        // Outside the lock: observers hear of what is found, and may merge it.
        if token.token == nil { coordinator.followRemoteRecords() }
        return try state.withLock { state in
            if let known = state.backends[ObjectIdentifier(store)] { return known }
            if state.token.token == nil { state.token = coordinator.currentGeneration }
            // A store that came later is read as it is now.
            guard let position = state.token.token?.positions[store.identifier] else { return engine }
            let (past, schema) = try engine.past(at: position)
            guard schema === engine.schema else {
                throw CoreDataError.make(
                    .persistentStoreOperation,
                    "the query generation is from before the store's migration to another model: use a newer one, or "
                        + "newContext(asOf:), which answers in the old model's terms",
                    [NSAffectedStoresErrorKey: [store]])
            }
            let made = HistoricalBackend(
                schema: schema, past: past, externalValues: engine.externalValues, rowCache: store.makeRowCache())
            state.backends[ObjectIdentifier(store)] = made
            return made
        }
    }

    /// The store was removed from the coordinator.
    func discard(_ store: NSPersistentStore) {
        state.withLock { $0.backends[ObjectIdentifier(store)] = nil }
    }

    /// Moves on to newer positions. A pin that has read nothing yet will take them by itself.
    func advance(to positions: [String: SequenceNumber]) {
        state.withLock { state in
            guard let old = state.token.token?.positions else { return }
            state.token = NSQueryGenerationToken(NSPersistentHistoryToken(old.merging(positions) { max($0, $1) }))
            state.backends = [:]
        }
    }
}
