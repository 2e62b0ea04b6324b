import FirnLog
import FirnModel
import FirnProjection

/// What a context reads from while it is pinned to a query generation: the stores as they were at one point, under the
/// IDs that they have now.
///
///     current        nothing read yet; the first read takes the stores' position
///     a token        every store as it was after the record that the token names for it
///
/// Belongs to the context's queue.
final class PinnedSource: StoreSource {
    private unowned let coordinator: NSPersistentStoreCoordinator
    /// Whether the pin goes with what the context merges, and so may be moved by contexts that follow by themselves.
    let followsCurrent: Bool
    private(set) var token: NSQueryGenerationToken
    private var backends: [ObjectIdentifier: any StoreBackend] = [:]

    init(_ token: NSQueryGenerationToken, of coordinator: NSPersistentStoreCoordinator) {
        self.token = token
        self.coordinator = coordinator
        followsCurrent = token.token == nil
    }

    var persistentStores: [NSPersistentStore] { coordinator.persistentStores }

    func backend(of store: NSPersistentStore) throws -> (any StoreBackend)? {
        if let known = backends[ObjectIdentifier(store)] { return known }
        if token.token == nil {
            coordinator.noticeForeignRecords()
            token = coordinator.currentGeneration
        }
        guard let engine = store.backend as? StoreEngine else { return store.backend }
        // A store that came later is read as it is now.
        guard let position = token.token?.positions[store.identifier] else { return engine }
        let made = HistoricalBackend(schema: engine.schema, past: try engine.past(at: position))
        backends[ObjectIdentifier(store)] = made
        return made
    }

    /// Goes on to newer positions. A pin that has read nothing yet will take them by itself.
    func advance(to positions: [String: SequenceNumber]) {
        guard let old = token.token?.positions else { return }
        token = NSQueryGenerationToken(NSPersistentHistoryToken(old.merging(positions) { max($0, $1) }))
        backends = [:]
    }
}
