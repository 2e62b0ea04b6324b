#if SwiftData
import Firn
import FirnModel
import Foundation

/// Deletions by predicate that the next save asks data stores for as they were asked.
///
/// The context deletes the models that it finds: fetches miss them, and delete rules apply. If they are still deleted
/// when it saves, the store gets the predicate in place of their snapshots.
struct PendingBatches {
    struct Batch {
        let storeIdentifier: String?
        let objectIDs: Set<NSManagedObjectID>
        let request: (any DataStore, EditingState) throws -> Void
    }

    private var batches: [Batch] = []

    /// Notes a deletion. `objects` are those that it found, in a context without unsaved changes: the store finds them
    /// too.
    mutating func add<T: PersistentModel>(
        _ predicate: Predicate<T>?, _ includeSubclasses: Bool, of objects: [ModelObject], in adapter: DataStoreAdapter
    ) {
        guard adapter.store is any DataStoreBatching, !objects.isEmpty else { return }
        batches.append(
            Batch(storeIdentifier: adapter.identifier, objectIDs: Set(objects.map(\.objectID))) { store, state in
                try (store as? any DataStoreBatching)?.delete(
                    DataStoreBatchDeleteRequest<T>(
                        predicate, includeSubclasses: includeSubclasses, editingState: state))
            })
    }

    mutating func removeAll() { batches = [] }

    /// Divides the deleted objects of a store into those that go with a batch, and those that go one by one. Forgets
    /// the store's batches.
    mutating func split(
        _ deleted: [ModelObject], of adapter: DataStoreAdapter
    ) -> (batches: [Batch], single: [ModelObject]) {
        let ids = Set(deleted.map(\.objectID))
        let valid = batches.filter { $0.storeIdentifier == adapter.identifier && $0.objectIDs.isSubset(of: ids) }
        batches.removeAll { $0.storeIdentifier == adapter.identifier }
        let covered = valid.reduce(into: Set<NSManagedObjectID>()) { $0.formUnion($1.objectIDs) }
        return (valid, deleted.filter { !covered.contains($0.objectID) })
    }
}
#endif
