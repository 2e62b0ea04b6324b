import FirnLog
import FirnModel
import FirnProjection
import Foundation

/// A fetch as it goes down to the stores.
struct StoreRequest {
    let request: UntypedFetchRequest
    let entity: NSEntityDescription
    /// Whether the caller takes all matches and cuts the window itself, because it has changes to lay over them.
    let ignoresWindow: Bool
}

extension NSPersistentStoreCoordinator: ObjectSource {
    func snapshot(of id: NSManagedObjectID, maximumAge: Double) throws -> Snapshot? {
        guard let store = id.storeObject as? NSPersistentStore, let backend = store.backend else { return nil }
        return try backend.snapshot(id.key, maximumAge: maximumAge)
    }

    func members(of id: NSManagedObjectID, slot: Int) throws -> [NSManagedObjectID] {
        guard let store = id.storeObject as? NSPersistentStore, let backend = store.backend else { return [] }
        return try backend.members(of: id.key, slot: slot).compactMap { store.objectID(for: $0) }
    }

    func fetchIDs(_ request: StoreRequest) throws -> [NSManagedObjectID] {
        try stores(for: request).flatMap { store, backend -> [NSManagedObjectID] in
            let plan = try Self.plan(request, backend)
            guard request.request.includesPropertyValues, request.request.resultType == .managedObjectResultType
            else {
                return try backend.read { try $0.keys(plan) }.compactMap { store.objectID(for: $0) }
            }
            let epoch = backend.rowCache.epoch
            let rows = try backend.read { try $0.rows(plan) }
            for batch in rows.batches { backend.rowCache.insert(read: batch, epoch: epoch) }
            return (0..<rows.count).compactMap { store.objectID(for: rows.key(at: $0)) }
        }
    }

    func count(_ request: StoreRequest) throws -> Int {
        try stores(for: request).reduce(0) { sum, pair in
            try sum + pair.1.read { try $0.count(Self.plan(request, pair.1)) }
        }
    }

    func dictionaries(_ request: StoreRequest) throws -> [NSDictionary] {
        try stores(for: request).flatMap { store, backend -> [NSDictionary] in
            let plan = try Self.plan(request, backend)
            let found = try backend.read { try $0.dictionaries(plan) }
            return found.rows.map { Self.dictionary(found.columns, $0, store) }
        }
    }

    private static func plan(_ request: StoreRequest, _ backend: any StoreBackend) throws -> FetchPlan {
        var asked = request.request
        if request.ignoresWindow || asked.entity !== request.entity {
            let copy = NSFetchRequest<NSManagedObject>()
            asked.copyContents(to: copy)
            copy.resolveEntity(request.entity)
            if request.ignoresWindow { (copy.fetchLimit, copy.fetchOffset) = (0, 0) }
            asked = copy
        }
        do {
            return try FetchPlan(asked, schema: backend.schema)
        } catch let error as UnsupportedPredicate {
            throw CoreDataError.make(.persistentStoreOperation, error.description, underlying: error)
        }
    }

    /// A row of a dictionary fetch in the types of Apple's API. Nulls are absent.
    private static func dictionary(
        _ columns: [DictionaryColumn], _ row: [PropertyValue], _ store: NSPersistentStore
    ) -> NSDictionary {
        let result = NSMutableDictionary()
        for (column, value) in zip(columns, row) {
            if let value = AttributeCoding.any(value, column.kind, store: store) {
                result[column.name] = value
            }
        }
        return result
    }

    /// The stores that hold the request's entity, of those that it names, if it names any.
    private func stores(for request: StoreRequest) throws -> [(NSPersistentStore, any StoreBackend)] {
        let affected = request.request.affectedStores
        return persistentStores.compactMap { store in
            guard affected?.contains(where: { $0 === store }) ?? true, let backend = store.backend,
                backend.schema.contains(request.entity)
            else { return nil }
            return (store, backend)
        }
    }
}
