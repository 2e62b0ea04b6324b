#if SwiftData
/// A store of one's own: a file of any form, a database, a service.
///
///     a context fetches    fetch(_:)    snapshots become models
///     a context saves      save(_:)     models become snapshots; new ones get identifiers
///
/// A container calls its store from one thread at a time, on whatever thread. It keeps the rows of all snapshots that
/// it has seen. What a method throws goes to the caller of the context.
/// https://developer.apple.com/documentation/swiftdata/datastore
public protocol DataStore: AnyObject {
    /// Where the store is, and of what.
    associatedtype Configuration: DataStoreConfiguration where Self == Configuration.Store
    /// A model's values, as the store has them.
    associatedtype Snapshot: DataStoreSnapshot

    /// Tells the store from all others, for ever.
    var identifier: String { get }
    /// The models of the store.
    var schema: Schema { get }
    /// The configuration that the store was opened with.
    var configuration: Configuration { get }

    /// Opens the store. The configuration has a schema: that of the container, if it had none.
    init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

    /// Deletes all models.
    func erase() throws
    /// The models that a descriptor describes, and others that will be needed with them.
    func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, Snapshot>
    /// How many models a descriptor describes.
    func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int
    /// The identifiers of the models that a descriptor describes.
    func fetchIdentifiers<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier]
    /// Saves all changes, or throws and saves none.
    func save(_ request: DataStoreSaveChangesRequest<Snapshot>) throws -> DataStoreSaveChangesResult<Snapshot>
    /// A context begins to work with the store.
    func initializeState(for editingState: EditingState)
    /// A context works with the store no longer.
    func invalidateState(for editingState: EditingState)
    /// Snapshots that the store has at hand. Those that it has not are fetched.
    func cachedSnapshots(
        for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
    ) throws -> [PersistentIdentifier: Snapshot]
}

extension DataStore {
    /// Throws `DataStoreError.unsupportedFeature`: the models are then deleted one by one.
    public func erase() throws { throw DataStoreError.unsupportedFeature }

    /// Counts what `fetch(_:)` finds.
    public func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
        try fetch(request).fetchedSnapshots.count
    }

    /// The identifiers of what `fetch(_:)` finds.
    public func fetchIdentifiers<T: PersistentModel>(
        _ request: DataStoreFetchRequest<T>
    ) throws -> [PersistentIdentifier] {
        try fetch(request).fetchedSnapshots.map(\.persistentIdentifier)
    }

    /// Nothing to prepare.
    public func initializeState(for editingState: EditingState) {}

    /// Nothing to release.
    public func invalidateState(for editingState: EditingState) {}

    /// None.
    public func cachedSnapshots(
        for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
    ) throws -> [PersistentIdentifier: Snapshot] { [:] }
}

/// A store that deletes many models with one request.
///
/// https://developer.apple.com/documentation/swiftdata/datastorebatching
public protocol DataStoreBatching: DataStore {
    /// Deletes the models that meet a predicate. Their relationships are the business of the save that follows.
    func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws
}

/// Where a store is, and of what.
///
/// https://developer.apple.com/documentation/swiftdata/datastoreconfiguration
public protocol DataStoreConfiguration: Hashable {
    /// The store's class.
    associatedtype Store: DataStore where Self == Store.Configuration

    /// The configuration's name.
    var name: String { get }
    /// The models of the store; nil for all of the container.
    var schema: Schema? { get set }
    /// Throws if no store can be opened with the configuration.
    func validate() throws
}

extension DataStoreConfiguration {
    /// Every configuration will do.
    public func validate() throws {}
}

/// A store that has a history.
///
/// https://developer.apple.com/documentation/swiftdata/historyproviding
public protocol HistoryProviding {
    /// The transactions of the store.
    associatedtype HistoryType: HistoryTransaction

    /// The type of the transactions.
    static var historyType: HistoryType.Type { get }

    /// The transactions that a descriptor describes.
    func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]
    /// Deletes the transactions that a descriptor describes.
    func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws
}

extension HistoryProviding {
    /// The transactions that a descriptor describes; nil if the store has transactions of another type.
    func transactions<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]? {
        guard let descriptor = descriptor as? HistoryDescriptor<HistoryType> else { return nil }
        return try fetchHistory(descriptor) as? [T]
    }

    /// Deletes the transactions that a descriptor describes. False if the store has transactions of another type.
    func deleteTransactions<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> Bool {
        guard let descriptor = descriptor as? HistoryDescriptor<HistoryType> else { return false }
        try deleteHistory(descriptor)
        return true
    }
}
#endif
