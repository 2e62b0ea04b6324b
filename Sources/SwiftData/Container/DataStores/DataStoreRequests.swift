#if SwiftData
public import Foundation

/// A context's fetch in a store.
///
/// https://developer.apple.com/documentation/swiftdata/datastorefetchrequest
public struct DataStoreFetchRequest<T: PersistentModel>: Sendable {
    /// The state of the context that asks.
    public let editingState: EditingState
    /// The descriptor of the models, and of their order.
    public let descriptor: FetchDescriptor<T>

    init(_ descriptor: FetchDescriptor<T>, editingState: EditingState) {
        self.editingState = editingState
        self.descriptor = descriptor
    }
}

/// The results of a fetch in a store.
///
/// https://developer.apple.com/documentation/swiftdata/datastorefetchresult
public struct DataStoreFetchResult<ModelType: PersistentModel, SnapshotType: DataStoreSnapshot>: Sendable {
    /// The descriptor of the models.
    public let descriptor: FetchDescriptor<ModelType>
    /// The models in their order.
    public let fetchedSnapshots: [SnapshotType]
    /// Other models that will be needed: those that the found ones are related to.
    public let relatedSnapshots: [PersistentIdentifier: SnapshotType]

    /// An answer to a request with this descriptor.
    public init(
        descriptor: FetchDescriptor<ModelType>, fetchedSnapshots: [SnapshotType],
        relatedSnapshots: [PersistentIdentifier: SnapshotType] = [:]
    ) {
        self.descriptor = descriptor
        self.fetchedSnapshots = fetchedSnapshots
        self.relatedSnapshots = relatedSnapshots
    }
}

/// A context's save to a store.
///
/// https://developer.apple.com/documentation/swiftdata/datastoresavechangesrequest
public struct DataStoreSaveChangesRequest<SnapshotType: DataStoreSnapshot>: Sendable {
    /// New models, in the order in which they were inserted. Their identifiers are temporary.
    public let inserted: [SnapshotType]
    /// Changed models, with all their values. They may be related to new ones.
    public let updated: [SnapshotType]
    /// Deleted models, with their last values.
    public let deleted: [SnapshotType]
    /// The state of the context that saves.
    public let editingState: EditingState

    init(
        inserted: [SnapshotType] = [], updated: [SnapshotType] = [], deleted: [SnapshotType] = [],
        editingState: EditingState
    ) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
        self.editingState = editingState
    }
}

/// The results of a save in a store.
///
/// https://developer.apple.com/documentation/swiftdata/datastoresavechangesresult
public final class DataStoreSaveChangesResult<T: DataStoreSnapshot>: Sendable {
    /// The permanent identifiers of all new models, by their temporary ones.
    public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
    /// The store's identifier.
    public let storeIdentifier: String
    /// Models whose values the store has changed: contexts read them again.
    public let snapshotsToReregister: [PersistentIdentifier: T]
    /// Where a reader of the store's history stands that has seen the save.
    public let historyToken: (any HistoryToken)?

    /// Makes the results of a save in a store without a history.
    public convenience init(
        for storeIdentifier: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
        snapshotsToReregister: [PersistentIdentifier: T] = [:]
    ) {
        self.init(
            for: storeIdentifier, remappedIdentifiers: remappedIdentifiers,
            snapshotsToReregister: snapshotsToReregister, historyToken: nil)
    }

    /// Makes the results of a save in a store.
    public init(
        for storeIdentifier: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
        snapshotsToReregister: [PersistentIdentifier: T] = [:], historyToken: (any HistoryToken)?
    ) {
        self.storeIdentifier = storeIdentifier
        self.remappedIdentifiers = remappedIdentifiers
        self.snapshotsToReregister = snapshotsToReregister
        self.historyToken = historyToken
    }
}

/// A context's request to delete models in a store.
///
/// https://developer.apple.com/documentation/swiftdata/datastorebatchdeleterequest
public struct DataStoreBatchDeleteRequest<T: PersistentModel>: Sendable {
    /// The state of the context that asks.
    public let editingState: EditingState
    /// The predicate that the models have to meet; nil for all.
    public let predicate: Predicate<T>?
    /// Whether models of subclasses are meant too.
    public let includeSubclasses: Bool

    init(_ predicate: Predicate<T>?, includeSubclasses: Bool, editingState: EditingState) {
        self.editingState = editingState
        self.predicate = predicate
        self.includeSubclasses = includeSubclasses
    }
}

/// The editing state of a context that is passed to data stores.
public struct EditingState: Identifiable, Sendable {
    /// The type of the identifier.
    public typealias ID = UUID

    /// Tells the context from others.
    public let id: UUID
    /// The author, as the history says.
    public var author: String?

    init() { id = UUID() }
}
#endif
