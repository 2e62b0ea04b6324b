package import FirnLog
public import FirnModel
import FirnProjection
import FirnRuntime
package import FirnStore
public import Foundation
import Synchronization

/// One store of a coordinator.
/// https://developer.apple.com/documentation/coredata/nspersistentstore
open class NSPersistentStore: NSObject {
    /// The coordinator that has the store; nil once it was removed.
    open internal(set) var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get { coordinatorReference?.object }
        set { coordinatorReference = newValue.map(WeakReference.init) }
    }
    /// Whether `coordinator` is the store's. Counts no references.
    final func isOf(_ coordinator: NSPersistentStoreCoordinator?) -> Bool {
        guard let coordinator else { return coordinatorReference?.object == nil }
        return coordinatorReference?.refers(to: coordinator) ?? false
    }
    /// Set before other threads see the store.
    private final var coordinatorReference: WeakReference<NSPersistentStoreCoordinator>?
    /// The configuration of the model that the store has.
    open private(set) var configurationName: String
    /// Where the store is.
    open var url: URL? { get { place.withLock { $0 } } set { place.withLock { $0 = newValue } } }
    /// Read on any thread, and set where the store moves.
    private final let place: Mutex<URL?>
    /// The options that it was opened with.
    open private(set) var options: [AnyHashable: Any]?
    /// Whether the store refuses to be written.
    open var isReadOnly: Bool
    /// Whether the options ask for `NSPersistentStoreRemoteChange`.
    final let postsRemoteChanges: Bool
    /// Whether the options ask for a history. It is kept also where they do not, and then saves do not tell of it.
    final let tracksHistory: Bool
    /// Whether the store is at `/dev/null`, and so in memory.
    final let isAtNullDevice: Bool
    /// The store's UUID, for ever.
    open var identifier: String!
    /// The metadata that the program stored about the store as a whole.
    open var metadata: [String: Any]! = [:]
    /// The part of the metadata that the application cannot set.
    final var standardMetadata: [String: Any] = [:]
    /// The rows in the store's tables; nil for a store without tables, before it is loaded, and after it was removed
    /// from its coordinator.
    final var tables: StoreReader? {
        get { isRemoved ? nil : loadedTables }
        set {
            if let loadedTables { formerTables.append(loadedTables) }
            loadedTables = newValue
            cachedRows = newValue?.rowCache
        }
    }
    private final var loadedTables: StoreReader?
    /// Readers that others took the place of. Another thread may have loaded the reference, and retain it only now.
    private final var formerTables: [StoreReader] = []
    /// The part of the model that the store holds; nil before the store is loaded.
    var loadedSchema: StoreSchema? { loadedTables?.schema }
    /// `loadedSchema`; nil also after the store was removed from its coordinator.
    final var schema: StoreSchema? { isRemoved ? nil : loadedSchema }
    /// The rows that contexts share; nil before the store is loaded, and after it was removed.
    var rowCache: RowCache? { tables?.rowCache }
    /// The row cache, in which a row is looked for first, without the reader; nil for a store without tables.
    private(set) final var cachedRows: RowCache?
    /// Why large values could not be read, by the paths of their files.
    final let unreadableValues = Mutex<[String: NSError]>([:])
    private let removed = Atomic(false)
    private let unsavedMetadata = Atomic(false)
    /// Whether metadata was set that no save has written yet.
    var hasUnsavedMetadata: Bool {
        get { unsavedMetadata.load(ordering: .relaxed) }
        set { unsavedMetadata.store(newValue, ordering: .relaxed) }
    }
    var isRemoved: Bool { removed.load(ordering: .relaxed) }

    /// From now on nothing is read from the store, on whatever thread.
    func markRemoved() { removed.store(true, ordering: .relaxed) }

    /// Makes everything that still refers to this store read from `other`, which has the same objects under the same
    /// keys.
    func readFrom(_ other: NSPersistentStore) {
        tables = other.tables.flatMap(\.engine).map { StoreReader($0, of: self) }
    }

    /// The identity by which IDs of the store's objects refer to it.
    var identity: StoreIdentity?

    /// Where the store is, for messages: never with a password.
    package final var placeName: String {
        guard let url else { return "memory" }
        return url.isFileURL ? url.path : SharedLogs.place(of: url.absoluteString)
    }

    /// The kind of the store.
    open var type: String { NSSQLiteStoreType }

    /// Creates it with these values.
    public required init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?,
        at url: URL, options: [AnyHashable: Any]? = nil
    ) {
        coordinatorReference = root.map(WeakReference.init)
        configurationName = name ?? "PF_DEFAULT_CONFIGURATION_NAME"
        place = Mutex(url)
        self.options = options
        isReadOnly = StoreOptions.isReadOnly.isSet(in: options)
        postsRemoteChanges = StoreOptions.postsRemoteChanges.isSet(in: options)
        tracksHistory = StoreOptions.tracksHistory.isSet(in: options)
        isAtNullDevice = NullDevice.holds(url)
        super.init()
    }

    /// Reads `metadata`, with `NSStoreUUIDKey` and `NSStoreTypeKey` at least. A store class of your own overrides it.
    open func loadMetadata() throws {}
    /// The store is one of the coordinator's from now on.
    open func didAdd(to coordinator: NSPersistentStoreCoordinator) {}
    /// The store will no longer be one of the coordinator's; nil if the coordinator goes away.
    open func willRemove(from coordinator: NSPersistentStoreCoordinator?) {}

    /// The metadata of a store that need not be open. A store class of your own overrides it.
    open class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        throw unsupported("read the metadata of a store that is not open", url)
    }

    /// Sets the metadata of a store that need not be open. A store class of your own overrides it.
    open class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        throw unsupported("set the metadata of a store that is not open", url)
    }

    /// The class that migrates stores of this type with a mapping model.
    open class func migrationManagerClass() -> AnyClass { standardMigrationManagerClass }

    /// Opens the store, making it if there is none.
    func open(model: NSManagedObjectModel, entities: [NSEntityDescription]) throws {
        throw Self.unsupported("be opened; subclass \(StoreClasses.bases)", url)
    }

    /// The engine that reads and writes the store's log, if it keeps one with the history of its objects.
    package var historyEngine: StoreEngine? { nil }

    /// From now on, saves of other processes are noticed when they happen, if the store can have any. Idempotent.
    func startWatching() {}

    /// Whether the store asks which context reads from it, and which objects contexts have.
    var followsContexts: Bool { false }

    /// The rows that a context reads.
    func reader(for context: NSManagedObjectContext?) -> (any RowReader)? { tables }

    /// Whether a dictionary of the answer may be made of several rows: by groups or aggregates.
    func aggregatesRows(_ request: StoreRequest) throws -> Bool { try tables?.plan(request).aggregatesRows ?? false }

    /// The values that rows refer to; nil if the store is closed, or its rows hold all.
    var externalValues: ExternalValues? { tables?.engine?.externalValues }

    /// A context has objects with these IDs now. Called if the store follows contexts.
    func contextDidRegister(_ objectIDs: [NSManagedObjectID]) {}

    /// A context no longer has objects with these IDs. Called if the store follows contexts.
    func contextDidUnregister(_ objectIDs: [NSManagedObjectID]) {}

    /// Whether objects can be saved to the store, if it is not read only.
    var canSave: Bool { tables?.engine != nil }

    /// New objects of one root entity will have this key and those that follow.
    func willAssign(_ first: Int64, to objects: [NSManagedObject]) {}

    /// The metadata that the next save writes, encoded; nil if there is none. What is set from here on is a later
    /// save's. The caller sets `hasUnsavedMetadata` if it does not write it.
    func dequeueMetadata() throws -> [UInt8]? { nil }

    /// The saving of changes into this store, which can save.
    func saving(_ change: ObjectChange, in context: NSManagedObjectContext) -> any StoreSaving {
        fatalError("a store that cannot save was asked to: \(self)")
    }

    /// Writes metadata that was set, in a save that changes no object of the store. `isEmpty` says that it changes no
    /// object at all.
    func saveMetadata(in context: NSManagedObjectContext, isEmpty: Bool) throws {}

    /// Keys for new objects, which are never given again, whether the objects are saved or not.
    func permanentKeys(for objects: [NSManagedObject], in context: NSManagedObjectContext) throws -> [ObjectKey] {
        guard let engine = tables?.engine else { return [] }
        func root(_ object: NSManagedObject) -> EntityNumber { engine.schema.number(of: object.layout.rootEntity) }
        let counts = objects.reduce(into: [:]) { $0[root($1), default: 0] += 1 }
        var ranges: [EntityNumber: Range<Int64>]
        do {
            ranges = try engine.reserveKeys(context.transactionHeader(engine), counts: counts)
        } catch let error as LogError where error.code == .outcomeUnknown {
            // Keys that were reserved without our knowledge are nobody's.
            guard case .made = engine.resolve(error) else { throw error }
            ranges = try engine.reserveKeys(context.transactionHeader(engine), counts: counts)
        }
        for (number, range) in ranges { willAssign(range.lowerBound, to: objects.filter { root($0) == number }) }
        return objects.map { object in
            let key = ranges[root(object)]?.popFirst() ?? 0
            return ObjectKey(entity: engine.schema.number(of: object.entity), primaryKey: key)
        }
    }

    /// The ID of an object by what stands after the `p` of its URI.
    func objectID(for entity: NSEntityDescription, text: String) -> NSManagedObjectID? {
        guard let primaryKey = Int64(text), let schema else { return nil }
        return objectID(for: ObjectKey(entity: schema.number(of: entity), primaryKey: primaryKey))
    }

    /// Continues with the store's files at another place. False if that is not possible.
    func move(to url: URL, model: NSManagedObjectModel, entities: [NSEntityDescription]) -> Bool { false }

    /// Removes a store that is not one of a coordinator's.
    class func destroyStore(at url: URL, options: [AnyHashable: Any]?) throws {
        throw unsupported("destroy a store", url)
    }

    /// Puts a copy of the store at `source` in the place of the one at `destination`, if there is one. `close` closes
    /// it if it is open.
    class func replaceStore(
        at destination: URL, with source: URL, options: [AnyHashable: Any]?, closing close: () throws -> Void
    ) throws {
        throw unsupported("be replaced: it has no file of its own", destination)
    }

    final class func unsupported(_ what: String, _ url: URL?) -> NSError {
        CoreDataError.make(
            .persistentStoreOperation, "a store of the class \(self) cannot \(what) (\(url?.path ?? "in memory"))")
    }

    /// Nil before the store is open.
    private var identities: RowIdentities? {
        guard let identity, let schema = loadedSchema else { return nil }
        return RowIdentities(schema, identity)
    }

    /// The ID of the object with this key, or nil if the store does not know its entity.
    package func objectID(for key: FirnLog.ObjectKey) -> NSManagedObjectID? {
        isRemoved ? nil : identities?.id(for: key)
    }

    /// The ID of an object to which the store has given this key.
    func permanentID(for key: ObjectKey) -> NSManagedObjectID {
        guard let id = objectID(for: key) else {
            fatalError("the store gave a key for an entity that it does not know: \(key)")
        }
        return id
    }

    /// The ID of an object of this store, which may have been removed since it was read.
    func objectID(for key: ObjectKey, _ layout: EntityLayout) -> NSManagedObjectID {
        guard let identities else { fatalError("the store \(self) has objects and was never open") }
        return identities.id(for: key, layout)
    }

    /// The IDs of many objects.
    func objectIDs(for keys: [ObjectKey]) -> [NSManagedObjectID] { isRemoved ? [] : identities?.ids(for: keys) ?? [] }

    /// A kind of store.
    public struct StoreType: RawRepresentable, Hashable, Sendable {
        public typealias RawValue = String

        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// On disk: a log, with SQLite tables.
        public static let sqlite = StoreType(rawValue: NSSQLiteStoreType)
        /// In memory, gone with the coordinator.
        public static let inMemory = StoreType(rawValue: NSInMemoryStoreType)
        /// On disk, read and written as a whole.
        public static let binary = StoreType(rawValue: NSBinaryStoreType)
    }
}

extension NSManagedObjectID {
    /// The store that holds the object; nil for a temporary ID, or when the store was removed.
    public var persistentStore: NSPersistentStore? { storeObject as? NSPersistentStore }

    /// The key under which contexts register the object: temporary ones are negative.
    var key: ObjectKey { ObjectKey(self) }
}

extension NSPersistentStore {
    /// A cache of the size that the options ask for.
    func makeRowCache() -> RowCache { RowCache(sizeMax: RowCache.size(options: options)) }
}

extension NSPersistentStore {
    /// Bytes of rows that the store keeps in memory now.
    package var rowCacheBytes: Int { cachedRows?.size ?? 0 }
}
