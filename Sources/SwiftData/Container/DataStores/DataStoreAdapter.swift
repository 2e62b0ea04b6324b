#if SwiftData
import Firn
import FirnModel
import Foundation

/// A data store as the coordinator of a container knows it.
///
///     coordinator   →   DataStoreAdapter                                     →   DataStore
///     fetch request     the descriptor it came from (DataStoreQuery), else all   snapshots
///     row               what the store has told of a model (SnapshotRows)
///     save request      the models' snapshots                                    identifiers of new ones
///
/// The store is called by one thread at a time.
final class DataStoreAdapter: NSIncrementalStore, IdentifyingStore, IdentifierSource {
    static let storeType = "SwiftData.DataStore"
    /// The option that has the store.
    static let storeKey = "SwiftData.DataStore"

    /// The content of the option.
    final class Opened {
        let store: any DataStore
        let schema: Schema

        init(_ store: any DataStore, _ schema: Schema) {
            self.store = store
            self.schema = schema
        }
    }

    let schema: Schema
    /// The data store, of which the type is not known.
    let store: any DataStore
    /// Guards the data store and `rows`.
    private let lock = NSRecursiveLock()
    private var rows = SnapshotRows()
    /// The contexts of the container. Set before any context is made.
    weak var siblings: SiblingContexts?

    required init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        guard let opened = options?[Self.storeKey] as? Opened else {
            fatalError("A store of the type \(Self.storeType) is added by a ModelContainer, with a configuration")
        }
        store = opened.store
        schema = opened.schema
        super.init(persistentStoreCoordinator: root, configurationName: name, at: url, options: options)
    }

    override var type: String { Self.storeType }

    override func loadMetadata() throws {
        metadata = [NSStoreUUIDKey: store.identifier, NSStoreTypeKey: Self.storeType]
    }

    /// Calls the store, while nobody else does.
    func calling<R>(_ body: (any DataStore) throws -> R) rethrows -> R {
        lock.lock()
        defer { lock.unlock() }
        return try SnapshotModels.$schema.withValue(schema) { try body(store) }
    }

    // Identifiers.

    func identifier(of objectID: NSManagedObjectID) -> PersistentIdentifier {
        let entity = objectID.entity
        var key = "\(referenceObject(for: objectID))"
        if entity.superentity != nil, let start = key.firstIndex(of: "/") { key = String(key[start...].dropFirst()) }
        return PersistentIdentifier(
            storeIdentifier: identifier, entityName: entity.name ?? "", primaryKey: key, isTemporary: false)
    }

    /// The entities of one root share their keys: those of subentities begin with the entity's name.
    func objectID(for identifier: PersistentIdentifier) -> NSManagedObjectID? {
        guard !identifier.isTemporary, identifier.storeIdentifier == self.identifier,
            let entity = persistentStoreCoordinator?.managedObjectModel.entitiesByName[identifier.entityName],
            schema.entitiesByName[identifier.entityName] != nil
        else { return nil }
        let key = identifier.primaryKey
        return newObjectID(
            for: entity, referenceObject: entity.superentity == nil ? key : "\(identifier.entityName)/\(key)")
    }

    override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        throw SwiftDataError.modelValidationFailure.because("a data store gives identifiers with the save: save first")
    }

    // Reading.

    override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        guard let request = request as? NSFetchRequest<NSManagedObject>,
            let owner = (context as? ModelManagedContext)?.owner
        else { throw DataStoreError.unsupportedFeature }
        let known = owner.managed.query.flatMap { $0.entityName == request.entityName ? $0 : nil }
        let query: any DataStoreQuerying = known ?? InMemoryQuery(entityName: request.entityName)
        let call = DataStoreCall(adapter: self, request: request, owner: owner)
        switch request.resultType {
        case .countResultType: return [NSNumber(value: try query.count(call))]
        case .managedObjectIDResultType: return try query.identifiers(call).compactMap(objectID)
        case .managedObjectResultType: return try query.run(call).compactMap(objectID)
        default: throw DataStoreError.unsupportedFeature
        }
    }

    override func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        let state = (context as? ModelManagedContext)?.owner?.editingState ?? EditingState()
        guard let row = try row(for: identifier(of: objectID), state) else {
            throw NSError(domain: NSCocoaErrorDomain, code: NSManagedObjectReferentialIntegrityError)
        }
        return NSIncrementalStoreNode(objectID: objectID, withValues: values(of: row.snapshot), version: row.version)
    }

    /// Only hidden inverses are asked for: nodes have all others. What leads to an object is found among all models
    /// of the other entity.
    override func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        guard let inverse = relationship.inverseRelationship, let entity = inverse.entity.name,
            schema.entitiesByName[entity] != nil
        else { return NSNull() }
        let target = identifier(of: objectID)
        let state = (context as? ModelManagedContext)?.owner?.editingState ?? EditingState()
        return try all(of: entity, state).filter { $0.relationships[inverse.name]?.contains(target) == true }
            .compactMap { self.objectID(for: $0.persistentIdentifier) }
    }

    /// The row of a model as the store has told it; the store is asked if it has told nothing. Nil if there is no such
    /// model.
    private func row(for identifier: PersistentIdentifier, _ state: EditingState) throws -> SnapshotRows.Row? {
        try calling { store in
            if let row = rows[identifier] { return row }
            record(try store.snapshotsAtHand([identifier], state))
            if rows[identifier] == nil { _ = try all(of: identifier.entityName, state) }
            return rows[identifier]
        }
    }

    /// All models of an entity, with those of its subentities.
    func all(of entityName: String, _ state: EditingState) throws -> [DefaultSnapshot] {
        func fetch<T: PersistentModel>(_ type: T.Type) throws -> [DefaultSnapshot] {
            try snapshots(FetchDescriptor<T>(), state)
        }
        guard let type = schema.types.first(where: { ModelShape.of($0).entityName == entityName }) else {
            throw DataStoreError.unsupportedFeature
        }
        return try fetch(type)
    }

    /// The store's results of a fetch. Models of which it tells something new are read again by all contexts.
    func snapshots<T>(_ descriptor: FetchDescriptor<T>, _ state: EditingState) throws -> [DefaultSnapshot] {
        try calling { store in
            let result = try store.snapshots(DataStoreFetchRequest(descriptor, editingState: state))
            record(result.related)
            record(result.found)
            let isWhole = descriptor.predicate == nil && descriptor.fetchLimit == nil && descriptor.fetchOffset == nil
            if isWhole { removeRows(of: T.self, except: result.found) }
            return result.found
        }
    }

    private func record(_ snapshots: [DefaultSnapshot]) {
        let changed = snapshots.filter { rows.record($0) }.compactMap { objectID(for: $0.persistentIdentifier) }
        notify(RemoteChange(updated: changed, deleted: []))
    }

    /// Models that the store no longer has.
    private func removeRows(of type: any PersistentModel.Type, except found: [DefaultSnapshot]) {
        let names = schema.types.map(ModelShape.of).filter { $0.isKind(of: type) }.map(\.entityName)
        let removed = rows.removeAll(of: Set(names), except: Set(found.map(\.persistentIdentifier)))
        notify(RemoteChange(updated: [], deleted: removed.compactMap(objectID)))
    }

    private func notify(_ change: RemoteChange) {
        let objectIDs = change.updated + change.deleted
        if objectIDs.isEmpty { return }
        discardRows(of: objectIDs)
        siblings?.distribute(change)
    }

    /// A row as a node has it.
    private func values(of snapshot: DefaultSnapshot) -> [String: Any] {
        var values = snapshot.attributes.mapValues(Self.flattened)
        for property in snapshot.shape.savedProperties {
            guard let relationship = property.relationship else { continue }
            // One that is temporary was stored by mistake: nobody knows it any longer.
            let related = (snapshot.relationships[property.name] ?? []).compactMap(objectID)
            values[property.name] = relationship.isToMany ? related : related.first ?? NSNull()
        }
        return values
    }

    /// A structure in a structure has its values under paths too: `address.street`.
    private static func flattened(_ value: Any) -> Any {
        guard var values = value as? [String: Any] else { return value }
        for (name, part) in values {
            guard let parts = flattened(part) as? [String: Any] else { continue }
            for (path, value) in parts { values["\(name).\(path)"] = value }
        }
        return values
    }

    // Saving.

    func save(
        _ request: NSSaveChangesRequest, with context: NSManagedObjectContext
    ) throws -> [NSManagedObjectID: NSManagedObjectID] {
        guard let owner = (context as? ModelManagedContext)?.owner else { throw DataStoreError.unsupportedFeature }
        let inserted = Self.sorted(request.insertedObjects)
        let deletions = owner.pendingBatches.split(Self.sorted(request.deletedObjects), of: self)
        let changes = ModelChanges(
            inserted: inserted.map(owner.model(of:)),
            updated: Self.sorted(request.updatedObjects).map(owner.model(of:)),
            deleted: deletions.single.map(owner.model(of:)))
        return try calling { store in
            for batch in deletions.batches {
                try batch.request(store, owner.editingState)
                rows.remove(batch.objectIDs.map(identifier))
            }
            if changes.isEmpty { return [:] }
            let result = try store.save(changes, owner.editingState)
            record(result, for: owner)
            let pairs = zip(inserted, changes.inserted).compactMap { object, model in
                result.remapped[model.persistentModelID].flatMap(objectID).map { (object.objectID, $0) }
            }
            return Dictionary(pairs) { first, _ in first }
        }
    }

    private func record(_ result: SavedSnapshots, for owner: ModelContext) {
        rows.remove(result.deleted)
        for snapshot in result.saved + result.reregistered { _ = rows.record(snapshot) }
        owner.storeSaves.append(
            StoreSave(
                adapter: self, historyToken: result.historyToken,
                changedByStore: result.reregistered.compactMap { objectID(for: $0.persistentIdentifier) }))
    }

    private static func sorted(_ objects: Set<NSManagedObject>?) -> [ModelObject] {
        (objects ?? []).compactMap { $0 as? ModelObject }.sorted { $0.precedes($1) }
    }

    /// A context's save is complete: what the store has made of it otherwise, all contexts read again.
    func finish(_ save: StoreSave) { notify(RemoteChange(updated: save.changedByStore, deleted: [])) }

    /// Deletes all models.
    func erase() throws {
        try calling { store in
            try store.erase()
            notify(RemoteChange(updated: [], deleted: rows.removeAll().compactMap(objectID)))
        }
    }
}

/// The results of a context's save in one store.
struct StoreSave {
    let adapter: DataStoreAdapter
    let historyToken: (any HistoryToken)?
    /// Objects whose values the store has changed.
    let changedByStore: [NSManagedObjectID]
}
#endif
