import FirnRuntime
import FirnStore
import FirnLog
import FirnModel
import FirnProjection
import Synchronization

/// The query generation that a context is pinned to: the stores as they were at one point, under the IDs that they
/// have now.
///
///     current        nothing read yet; the first read takes the stores' position
///     a token        every store as it was after the record that the token names for it
///
/// Thread-safe, as an asynchronous fetch reads elsewhere than on the context's queue.
final class GenerationPin: Sendable {
    private unowned let coordinator: NSPersistentStoreCoordinator
    /// Whose pin it is: incremental stores are told who asks.
    private let context: WeakReference<NSManagedObjectContext>
    /// Whether the pin goes with what the context merges, and so may be moved by contexts that follow by themselves.
    let followsCurrent: Bool
    private let state: Mutex<State>

    private struct State {
        var token: NSQueryGenerationToken
        var readers: [ObjectIdentifier: StoreReader] = [:]
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

    var token: NSQueryGenerationToken { state.withLock { $0.token } }

    /// The rows that the store had at the pin; nil if it is not open.
    func reader(of store: NSPersistentStore) throws -> (any RowReader)? {
        guard let present = store.tables, let engine = present.engine else { return store.reader(for: context.object) }
        // Outside the lock: observers hear of what is found, and may merge it.
        if token.token == nil { coordinator.followRemoteRecords() }
        return try state.withLock { state -> StoreReader in
            if let known = state.readers[ObjectIdentifier(store)] { return known }
            if state.token.token == nil { state.token = coordinator.currentGeneration }
            // A store that came later is read as it is now.
            guard let position = state.token.token?.positions[store.identifier] else { return present }
            let (past, schema) = try engine.past(at: position.sequence)
            guard schema === engine.schema else {
                throw CoreDataError.make(
                    .persistentStoreOperation,
                    "the query generation is from before the store's migration to another model: use a newer one, or "
                        + "newContext(asOf:), which answers in the old model's terms",
                    [NSAffectedStoresErrorKey: [store]])
            }
            let made = StoreReader(past, schema, of: store)
            state.readers[ObjectIdentifier(store)] = made
            return made
        }
    }

    /// The store was removed from the coordinator.
    func discard(_ store: NSPersistentStore) {
        state.withLock { $0.readers[ObjectIdentifier(store)] = nil }
    }

    /// Moves on to newer positions. A pin that has read nothing yet will take them by itself.
    func advance(to positions: [String: LogPosition]) {
        state.withLock { state in
            guard let old = state.token.token?.positions else { return }
            let new = old.merging(positions) { $0.sequence > $1.sequence ? $0 : $1 }
            state.token = NSQueryGenerationToken(NSPersistentHistoryToken(new))
            state.readers = [:]
        }
    }
}
