import FirnStore
import FirnLog
import FirnModel
import FirnProjection
import Foundation

/// A store as it was after a record of its log: the same objects under the same IDs, read only.
///
/// It reads a second projection that keeps every version of every row with the sequence numbers between which it
/// held, so that a read costs what it costs now, whatever the point.
final class HistoricalStore: NSPersistentStore {
    private let presentValues: ExternalValues?
    override var externalValues: ExternalValues? { isRemoved ? nil : presentValues }

    init(
        _ present: NSPersistentStore, _ past: AsOfProjection, _ schema: StoreSchema,
        coordinator: NSPersistentStoreCoordinator
    ) {
        presentValues = present.externalValues
        super.init(
            persistentStoreCoordinator: coordinator, configurationName: present.configurationName,
            at: present.url ?? URL(fileURLWithPath: "/dev/null"),
            options: [NSReadOnlyPersistentStoreOption: NSNumber(value: true)])
        identifier = present.identifier
        identity = StoreIdentity(identifier: present.identifier, store: self)
        metadata = present.metadata
        tables = StoreReader(past, schema, of: self)
    }

    required init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?,
        at url: URL, options: [AnyHashable: Any]? = nil
    ) {
        fatalError("a historical store is made by newContext(asOf:)")
    }
}

extension NSPersistentStoreCoordinator {
    /// A private-queue context that sees the stores as they were at a point of their history. It reads; saving
    /// changes in it fails. Before a migration it answers in the terms of the model that was in force then.
    /// Complexity: a read costs what it costs in the present; the first use builds the versions.
    public func newContext(asOf point: HistoryPoint) throws -> NSManagedObjectContext {
        var found: [(store: NSPersistentStore, past: AsOfProjection, schema: StoreSchema)] = []
        for store in persistentStores {
            guard let history = OpenHistory(store), let sequence = try history.sequence(of: point) else { continue }
            let (past, schema) = try history.engine.past(at: sequence)
            found.append((store, past, schema))
        }
        guard let model = found.first?.schema.model else {
            throw CoreDataError.make(
                .persistentStoreOperation, "no store of the coordinator has a history that reaches \(point)")
        }
        guard found.allSatisfy({ $0.schema.isSameModel(as: model) }) else {
            throw CoreDataError.make(
                .persistentStoreOperation,
                "the stores had different models at \(point): ask a coordinator with one of them")
        }
        let coordinator = NSPersistentStoreCoordinator(past: model)
        for (store, past, schema) in found {
            coordinator.adopt(HistoricalStore(store, past, schema, coordinator: coordinator))
        }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }
}

extension StoreSchema {
    /// Stores that were opened with one model share it; of the past, each has read its own.
    fileprivate func isSameModel(as other: NSManagedObjectModel) -> Bool {
        model === other || model.entityVersionHashesByName == other.entityVersionHashesByName
    }
}
