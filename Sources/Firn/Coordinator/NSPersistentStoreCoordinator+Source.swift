import FirnLog
import FirnModel
import FirnProjection
import Foundation

extension NSPersistentStoreCoordinator: StoreSource {
    func backend(of store: NSPersistentStore) throws -> (any StoreBackend)? { store.backend }
}

/// A source that reads from stores: from what they have now, or had in the past.
protocol StoreSource: ObjectSource {
    var persistentStores: [NSPersistentStore] { get }
    /// Nil for a store that is not open.
    func backend(of store: NSPersistentStore) throws -> (any StoreBackend)?
}

/// Relationships that one statement reads.
private struct MemberGroup: Hashable {
    let store: ObjectIdentifier?
    let root: UInt32
    let slot: Int
}

extension StoreSource {
    func snapshot(of id: NSManagedObjectID, maximumAge: Double) throws -> Snapshot? {
        guard let store = id.storeObject as? NSPersistentStore, let backend = try backend(of: store)
        else { return nil }
        return try backend.snapshot(id.key, maximumAge: maximumAge)
    }

    func holds(_ id: NSManagedObjectID) -> Bool {
        (id.storeObject as? NSPersistentStore)?.backend?.rowCache.snapshot(id.key) != nil
    }

    func members(of id: NSManagedObjectID, slot: Int) throws -> [NSManagedObjectID] {
        guard let store = id.storeObject as? NSPersistentStore, let backend = try backend(of: store)
        else { return [] }
        return try backend.members(of: id.key, slot: slot).compactMap { store.objectID(for: $0) }
    }

    func members(of owners: [(id: NSManagedObjectID, slot: Int)]) throws -> [[NSManagedObjectID]] {
        var result = [[NSManagedObjectID]](repeating: [], count: owners.count)
        let groups = Dictionary(grouping: owners.indices) { index in
            MemberGroup(
                store: owners[index].id.storeObject.map(ObjectIdentifier.init), root: owners[index].id.rootNumber,
                slot: owners[index].slot)
        }
        for (group, indices) in groups {
            guard let store = owners[indices[0]].id.storeObject as? NSPersistentStore,
                let backend = try backend(of: store)
            else { continue }
            let keys = indices.map { owners[$0].id.key }
            let lists = try backend.read { try $0.members(of: keys, slot: group.slot) }
            for (index, list) in zip(indices, lists) { result[index] = list.compactMap { store.objectID(for: $0) } }
        }
        return result
    }

    func loadRows(of ids: [NSManagedObjectID]) throws {
        for store in persistentStores {
            guard let backend = try backend(of: store) else { continue }
            let missing = ids.filter { $0.storeObject === store }.map(\.key).filter {
                backend.rowCache.snapshot($0) == nil
            }
            if missing.isEmpty { continue }
            let epoch = backend.rowCache.epoch
            let rows = try backend.read { try $0.rows(missing) }
            for batch in rows.batches { backend.rowCache.insert(read: batch, epoch: epoch) }
        }
    }

    func matches(_ request: StoreRequest, _ monitor: FetchMonitor?) throws -> StoreMatches {
        var matches = StoreMatches()
        for (store, backend) in try stores(for: request) {
            let plan = try Self.plan(request, backend)
            guard request.readsValues else {
                let keys = try backend.read { try $0.keys(plan, monitor) }
                matches.ids += store.objectIDs(for: keys)
                continue
            }
            let epoch = backend.rowCache.epoch
            let rows = try backend.read { try $0.rows(plan, monitor) }
            matches.ids += store.objectIDs(for: (0..<rows.count).lazy.map { rows.key(at: $0) })
            if request.isPartial {
                matches.partial += (0..<rows.count).map { Snapshot(batch: rows[$0].batch, row: rows[$0].row) }
            } else {
                for batch in rows.batches { backend.rowCache.insert(read: batch, epoch: epoch) }
                guard !request.settings.returnsObjectsAsFaults else { continue }
                matches.rows += (0..<rows.count).map { Snapshot(batch: rows[$0].batch, row: rows[$0].row) }
            }
        }
        return matches
    }

    func count(_ request: StoreRequest) throws -> Int {
        try stores(for: request).reduce(0) { sum, pair in
            try sum + pair.1.read { try $0.count(Self.plan(request, pair.1)) }
        }
    }

    func dictionaries(_ request: StoreRequest, _ monitor: FetchMonitor?) throws -> [NSDictionary] {
        let stores = try stores(for: request)
        let spread = stores.count > 1 ? SpreadDictionaries(request) : nil
        let rows = try stores.flatMap { store, backend -> [NSDictionary] in
            let plan = try Self.plan(spread?.asked ?? request, backend)
            if spread != nil, plan.joinsRows { throw SpreadDictionaries.joinedRows(stores.count) }
            let found = try backend.read { try $0.dictionaries(plan, monitor) }
            return found.rows.map { Self.dictionary(found.columns, $0, store) }
        }
        return spread?.joined(rows) ?? rows
    }

    private static func plan(_ request: StoreRequest, _ backend: any StoreBackend) throws -> FetchPlan {
        do {
            return try FetchPlan(request.settings, schema: backend.schema)
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
    func stores(for request: StoreRequest) throws -> [(NSPersistentStore, any StoreBackend)] {
        let affected = request.affectedStores
        return try persistentStores.compactMap { store in
            guard affected?.contains(where: { $0 === store }) ?? true, let backend = try backend(of: store),
                backend.schema.contains(request.entity)
            else { return nil }
            return (store, backend)
        }
    }
}
