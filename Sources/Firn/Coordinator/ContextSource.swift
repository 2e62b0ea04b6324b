import FirnModel
import Foundation

/// The source of a context's reads where stores want to know who asks.
final class ContextSource: StoreSource {
    private let context: NSManagedObjectContext
    private let coordinator: NSPersistentStoreCoordinator

    init(_ context: NSManagedObjectContext, _ coordinator: NSPersistentStoreCoordinator) {
        self.context = context
        self.coordinator = coordinator
    }

    var persistentStores: [NSPersistentStore] { coordinator.persistentStores }

    func backend(of store: NSPersistentStore) throws -> (any StoreBackend)? {
        store.backend(for: context) ?? store.backend
    }
}

extension NSPersistentStoreCoordinator {
    /// The source that a context with this coordinator reads from.
    func source(for context: NSManagedObjectContext) -> any ObjectSource {
        hasFollowingStores ? ContextSource(context, self) : self
    }
}
