#if SwiftData
import FirnRuntime
import Synchronization

/// A store of this module, used without a container: by a store of one's own that hands on what it is asked, or by a
/// program that works with snapshots.
///
/// Containers open stores of `ModelConfiguration`s without one.
/// https://developer.apple.com/documentation/swiftdata/defaultstore
public final class DefaultStore: DataStore, DataStoreBatching, HistoryProviding {
    public typealias Configuration = ModelConfiguration
    public typealias Snapshot = DefaultSnapshot
    public typealias HistoryType = DefaultHistoryTransaction
    /// The type of the history's tokens.
    public typealias TokenType = DefaultHistoryToken

    /// The configuration's name.
    public let name: String
    public let schema: Schema
    public let configuration: ModelConfiguration
    public let identifier: String
    let container: ModelContainer
    /// The contexts of the editing states that are in use.
    private let contexts = Mutex<[EditingState.ID: Transferred<ModelContext>]>([:])

    public static var historyType: DefaultHistoryTransaction.Type { DefaultHistoryTransaction.self }

    /// Opens a store, making it if there is none, and brings it up to date by a plan.
    ///
    /// Throws `configurationSchemaNotFoundInContainerSchema` if the configuration has no schema, and what a container
    /// throws.
    public init(_ configuration: ModelConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)? = nil) throws {
        guard let schema = configuration.schema else {
            throw SwiftDataError.configurationSchemaNotFoundInContainerSchema.because(
                "the configuration \(configuration.name) has no schema: a store that is opened without a container "
                    + "needs one")
        }
        container = try ModelContainer(for: schema, migrationPlan: migrationPlan, configurations: [configuration])
        guard let identifier = container.storeIdentifier(forConfigurationNamed: configuration.name) else {
            throw SwiftDataError.loadIssueModelContainer.because("\(configuration.name) has no store")
        }
        self.identifier = identifier
        self.schema = schema
        self.configuration = configuration
        name = configuration.name
    }

    public func erase() throws { try container.erase() }

    public func initializeState(for editingState: EditingState) {
        let context = Transferred(context(of: editingState))
        contexts.withLock { $0[editingState.id] = context }
    }

    public func invalidateState(for editingState: EditingState) {
        contexts.withLock { _ = $0.removeValue(forKey: editingState.id) }
    }

    /// The context of a state that is in use, else one for this call.
    func context(of state: EditingState) -> ModelContext {
        let context = contexts.withLock { $0[state.id] }?.value ?? ModelContext(container)
        context.author = state.author
        return context
    }

    public func fetch<T: PersistentModel>(
        _ request: DataStoreFetchRequest<T>
    ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
        let models = try context(of: request.editingState).fetch(request.descriptor)
        var related: [PersistentIdentifier: DefaultSnapshot] = [:]
        let shape = ModelShape.of(T.self)
        for property in request.descriptor.relationshipKeyPathsForPrefetching.compactMap(shape.property(for:)) {
            for model in models.flatMap({ $0.storage.related(property) }) {
                related[model.persistentModelID] = snapshot(of: model)
            }
        }
        return DataStoreFetchResult(
            descriptor: request.descriptor, fetchedSnapshots: models.map(snapshot), relatedSnapshots: related)
    }

    public func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
        try context(of: request.editingState).fetchCount(request.descriptor)
    }

    public func fetchIdentifiers<T: PersistentModel>(
        _ request: DataStoreFetchRequest<T>
    ) throws -> [PersistentIdentifier] {
        try context(of: request.editingState).fetchIdentifiers(request.descriptor)
    }

    /// The snapshots of those that the store has.
    public func cachedSnapshots(
        for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
    ) throws -> [PersistentIdentifier: DefaultSnapshot] {
        let context = context(of: editingState)
        let models = persistentIdentifiers.compactMap(context.existingModel)
        return Dictionary(models.map { ($0.persistentModelID, snapshot(of: $0)) }) { first, _ in first }
    }

    private func snapshot(of model: any PersistentModel) -> DefaultSnapshot {
        var related: [PersistentIdentifier: any BackingData] = [:]
        return DefaultSnapshot(from: model.anyBackingData, relatedBackingDatas: &related)
    }

    public func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        // What fails leaves nothing behind in a context that is used again.
        let context = ModelContext(container)
        context.author = request.editingState.author
        let remapped = try SnapshotSave(request, in: context).run()
        return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
    }

    public func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {
        let context = ModelContext(container)
        context.author = request.editingState.author
        try context.delete(
            model: T.self, where: request.predicate, includeSubclasses: request.includeSubclasses)
        try context.save()
    }

    public func fetchHistory(
        _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
    ) throws -> [DefaultHistoryTransaction] {
        try ModelContext(container).fetchHistory(descriptor)
    }

    public func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
        try ModelContext(container).deleteHistory(descriptor)
    }
}
#endif
