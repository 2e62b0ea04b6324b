import FirnLog
public import FirnModel
import FirnProjection
import FirnRuntime
import FirnStore
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
    let root: ObjectIdentifier
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

    func snapshot(of object: NSManagedObject, maximumAge: Double) throws -> Snapshot? {
        guard object.key.primaryKey > 0, let store = object.store, let backend = try backend(of: store) else {
            return nil
        }
        return try backend.snapshot(object.key, maximumAge: maximumAge)
    }

    func snapshots(of objects: [NSManagedObject], maximumAge: Double) throws -> [Snapshot?] {
        guard let store = objects.first?.store, let backend = try backend(of: store),
            objects.all({ $0.isIn(store) && $0.key.primaryKey > 0 })
        else { return try objects.map { try snapshot(of: $0, maximumAge: maximumAge) } }
        return try backend.snapshots(objects.map { $0.key }, maximumAge: maximumAge)
    }

    func members(of object: NSManagedObject, slot: Int) throws -> NamedObjects {
        guard object.key.primaryKey > 0, let store = object.store, let backend = try backend(of: store) else {
            return .ids([])
        }
        return .keys(try backend.members(of: object.key, slot: slot), in: store)
    }

    func members(of owners: [(object: NSManagedObject, slot: Int)]) throws -> [NamedObjects] {
        var result = [NamedObjects](repeating: .ids([]), count: owners.count)
        let stored = owners.indices.filter { owners[$0].object.key.primaryKey > 0 }
        let groups = Dictionary(grouping: stored) { index in
            MemberGroup(
                store: owners[index].object.store.map(ObjectIdentifier.init),
                root: ObjectIdentifier(owners[index].object.layout.rootEntity), slot: owners[index].slot)
        }
        for (group, indices) in groups {
            guard let store = owners[indices[0]].object.store, let backend = try backend(of: store) else { continue }
            let lists = try backend.members(of: indices.map { owners[$0].object.key }, slot: group.slot)
            for (index, list) in zip(indices, lists) { result[index] = .keys(list, in: store) }
        }
        return result
    }

    func loadRows(of objects: [NamedObjects]) throws {
        for store in persistentStores {
            guard let backend = try backend(of: store) else { continue }
            let missing = objects.flatMap { $0.keys(in: store) }.filter { backend.rowCache.snapshot($0) == nil }
            if !missing.isEmpty { try backend.load(missing) }
        }
    }

    func readMatches(
        _ request: StoreRequest, _ monitor: FetchMonitor?, _ take: (FetchBatch) throws -> Void
    ) throws {
        let all = persistentStores
        if all.count == 1, request.affectedStores == nil {
            guard let backend = try backend(of: all[0]), backend.schema.contains(request.entity) else { return }
            return try backend.readMatches(request, monitor) { try take(FetchBatch($0, in: all[0])) }
        }
        for (store, backend) in try stores(for: request) {
            try backend.readMatches(request, monitor) { try take(FetchBatch($0, in: store)) }
        }
    }

    func count(_ request: StoreRequest) throws -> Int {
        try stores(for: request).reduce(0) { try $0 + $1.1.count(request) }
    }

    func dictionaries(_ request: StoreRequest, _ monitor: FetchMonitor?) throws -> [NSDictionary] {
        let stores = try stores(for: request)
        guard stores.count > 1 else {
            return try stores.first.map { try $1.dictionaries(request, of: $0, monitor) } ?? []
        }
        let spread = SpreadDictionaries(request)
        if try stores.contains(where: { try $0.1.aggregatesRows(spread.asked) }) {
            let filled = try stores.filter { try mayHaveObjects($0.1, of: request.entity) }
            guard filled.count < 2 else { throw SpreadDictionaries.joinedRows(filled.count) }
            let (store, backend) = filled.first ?? stores[0]
            return try backend.dictionaries(request, of: store, monitor)
        }
        return spread.joined(try stores.flatMap { try $1.dictionaries(spread.asked, of: $0, monitor) })
    }

    /// Whether the store's configuration has the entity, or an earlier version of the application saved some there.
    private func mayHaveObjects(_ backend: any StoreBackend, of entity: NSEntityDescription) throws -> Bool {
        if backend.schema.storesPart(of: entity) { return true }
        var all = FetchSettings()
        all.entity = entity
        return try backend.count(StoreRequest(settings: all, entity: entity, affectedStores: nil)) > 0
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

    /// Whether the context has to evaluate the request's predicate: its stores are in memory, and the predicate needs
    /// objects, which SQL cannot look into. A store on disk refuses such a predicate, as Apple's SQLite store does.
    func needsObjects(for request: StoreRequest, stores: [NSPersistentStore]) throws -> Bool {
        guard let predicate = request.settings.predicate, request.settings.resultType != .dictionaryResultType,
            stores.contains(where: { $0.type == NSInMemoryStoreType })
        else { return false }
        let asked = try self.stores(for: request)
        guard asked.allSatisfy({ $0.0.type == NSInMemoryStoreType }) else { return false }
        let isRefused = asked.contains { _, backend in
            do {
                _ = try backend.schema.plan(request.settings)
                return false
            } catch {
                return error is UnsupportedPredicate
            }
        }
        return isRefused && PredicateClassifier(request.entity).need(of: predicate) == .objects
    }
}

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

/// From URIs to object IDs.
extension NSPersistentStoreCoordinator {
    func id(for url: URL) -> NSManagedObjectID? {
        guard url.scheme == "x-coredata", let host = url.host?.uppercased(),
            let store = persistentStores.first(where: { $0.identifier.uppercased() == host }),
            url.pathComponents.count == 3, url.pathComponents[2].hasPrefix("p"),
            let entity = managedObjectModel.entitiesByName[url.pathComponents[1]],
            store.backend?.schema.contains(entity) ?? false
        else { return nil }
        return store.objectID(for: entity, text: String(url.pathComponents[2].dropFirst()))
    }

    /// The ID whose URI reads like this.
    public func managedObjectID(for string: String) -> NSManagedObjectID? {
        URL(string: string).flatMap(managedObjectID(forURIRepresentation:))
    }
}

/// Counters by which tests see the reads behind an access.
extension NSPersistentStoreCoordinator {
    /// How often the stores' tables were read so far: once for each statement that a fetch or a fault runs.
    package var readCount: Int {
        persistentStores.reduce(0) { $0 + ($1.backend?.engine?.readCount ?? 0) }
    }

    /// Empties the row caches, so that the next access has to read.
    package func evictRows() {
        for store in persistentStores { store.backend?.rowCache.removeAll() }
    }
}

extension NSPersistentStoreRequest {
    /// The stores to ask; nil for all of the coordinator's.
    public var affectedStores: [NSPersistentStore]? {
        get { affectedStoreObjects?.compactMap { $0 as? NSPersistentStore } }
        set { affectedStoreObjects = newValue }
    }
}
