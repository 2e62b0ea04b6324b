import FirnLog
public import FirnModel
import FirnProjection
import FirnRuntime
import FirnStore
public import Foundation
import Synchronization

/// Coordinators, to code that makes them by a class known only as `Self`: see `CoordinatorMaking` in `CoreData`.
public protocol CoordinatorMaking {}

/// Binds a model, the stores that hold its objects, and the contexts that work on them.
/// https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator
open class NSPersistentStoreCoordinator: NSObject, NSLocking, CoordinatorMaking, @unchecked Sendable {
    /// The model of all stores.
    open private(set) var managedObjectModel: NSManagedObjectModel
    /// A name for people.
    open var name: String? {
        get { state.withLock { $0.name } }
        set { state.withLock { $0.name = newValue } }
    }
    let queue = DispatchQueue(label: "NSPersistentStoreCoordinator")
    /// Where remote changes are posted.
    let remoteChangeQueue = DispatchQueue(label: "NSPersistentStoreCoordinator remote changes")
    private let lockForOlderCode = NSRecursiveLock()
    private let state = Mutex(State())
    /// Whether a store wants to know which context asks.
    private let hasFollowing = Atomic(false)
    var hasFollowingStores: Bool { hasFollowing.load(ordering: .relaxed) }

    private struct State: @unchecked Sendable {
        var name: String?
        var stores: [NSPersistentStore] = []
        var followers: [Follower] = []
        /// The contexts that have this coordinator, among them ones that are gone.
        var contexts: [WeakReference<NSManagedObjectContext>] = []
        var contextSweepCount = 64
        var observer: SaveObserver?
    }

    /// A context that merges other contexts' saves by itself.
    private struct Follower {
        let reference: WeakReference<NSManagedObjectContext>
        let id: ObjectIdentifier

        var context: NSManagedObjectContext? { reference.object }
    }

    /// A coordinator without stores.
    public init(managedObjectModel model: NSManagedObjectModel) {
        managedObjectModel = model
        super.init()
        markQueue()
        model.freeze()
        EntityClasses.register(model)
    }

    /// A coordinator with an empty model, which can be of no use: what only the compiler asks for.
    public override convenience init() { self.init(managedObjectModel: NSManagedObjectModel()) }

    /// A coordinator for a past state. Its model may be an old one, which no class of the program is looked up by.
    init(past model: NSManagedObjectModel) {
        managedObjectModel = model
        super.init()
        markQueue()
        model.freeze()
    }

    deinit {
        for store in state.withLock({ $0.stores }) { store.willRemove(from: nil) }
    }

    /// The open stores.
    open var persistentStores: [NSPersistentStore] { state.withLock { $0.stores } }

    /// Opens a store, making it if there is none, and adds it.
    @discardableResult
    open func addPersistentStore(
        ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try add(storeType, configuration, storeURL, options)
    }

    /// Opens a store.
    @discardableResult
    open func addPersistentStore(
        type: NSPersistentStore.StoreType, configuration: String? = nil, at storeURL: URL,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try addPersistentStore(
            ofType: type.rawValue, configurationName: configuration, at: storeURL, options: options)
    }

    /// Adds the store that a description tells of, here or in the background as the description says.
    open func addPersistentStore(
        with storeDescription: NSPersistentStoreDescription,
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        let (given, block) = (Transferred(storeDescription), Transferred(block))
        let add: @Sendable () -> Void = {
            let description = given.value
            do {
                _ = try self.addPersistentStore(
                    ofType: description.type, configurationName: description.configuration,
                    at: description.url, options: description.storeOptions)
                block.value(description, nil)
            } catch {
                block.value(description, error)
            }
        }
        if storeDescription.shouldAddStoreAsynchronously { queue.async(execute: add) } else { add() }
    }

    /// Takes a store that is open already.
    func adopt(_ store: NSPersistentStore) { change { $0.append(store) } }

    private func change<R: Sendable>(_ body: (inout [NSPersistentStore]) -> R) -> R {
        state.withLock { state in
            defer {
                hasFollowing.store(state.stores.contains { $0.followsContexts }, ordering: .relaxed)
            }
            return body(&state.stores)
        }
    }

    /// Puts another store, or none, in place of one. False if that is not one of the coordinator's.
    func exchange(_ store: NSPersistentStore, for other: NSPersistentStore?) -> Bool {
        change { stores in
            guard let index = stores.firstIndex(where: { $0 === store }) else { return false }
            stores.replaceSubrange(index...index, with: other.map { [$0] } ?? [])
            return true
        }
    }

    /// Closes a store.
    open func remove(_ store: NSPersistentStore) throws {
        try detach(store)
    }

    /// The open store at a URL.
    open func persistentStore(for URL: URL) -> NSPersistentStore? {
        let wanted = URL.standardizedFileURL
        return persistentStores.first { $0.url == wanted }
    }

    /// Where a store is.
    open func url(for store: NSPersistentStore) -> URL { store.url ?? NullDevice.url }

    /// Continues with the store's files at another place. A store on disk, whose files were copied or moved there, is
    /// opened there at once; an atomic store is written there by the next save. False if that is not possible.
    /// https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/1468862-seturl
    open func setURL(_ url: URL, for store: NSPersistentStore) -> Bool { move(store, to: url) }

    /// The metadata of a store.
    open func metadata(for store: NSPersistentStore) -> [String: Any] { store.metadata }

    /// Sets what is written with the store's next save. The keys that every store has keep their values.
    open func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
        store.metadata = metadata ?? [:]
        store.completeMetadata()
        store.hasUnsavedMetadata = true
    }

    /// Writes a store's objects into a new store at another place or of another type, which takes the store's place
    /// here. Objects in contexts, with their unsaved changes, are the new store's from then on. What is at the old
    /// place stays.
    ///
    /// Between stores on disk and in memory the whole log is copied: the new store has the history, the object IDs and
    /// the UUID of the old one. Other types get the objects, under new IDs.
    /// Complexity: O(bytes of the log), or O(objects).
    /// https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/1468927-migratepersistentstore
    @discardableResult
    open func migratePersistentStore(
        _ store: NSPersistentStore, to URL: URL, options: [AnyHashable: Any]? = nil, withType storeType: String
    ) throws -> NSPersistentStore {
        try saveAs(store, URL, storeType, options)
    }

    /// Copies an open store with its history to another place or type, and continues with that.
    @discardableResult
    open func migratePersistentStore(
        _ store: NSPersistentStore, to storeURL: URL, options: [AnyHashable: Any]? = nil,
        type storeType: NSPersistentStore.StoreType
    ) throws -> NSPersistentStore {
        try migratePersistentStore(store, to: storeURL, options: options, withType: storeType.rawValue)
    }

    /// Puts a copy of a store, history included, in the place of another one or of none. A store of this coordinator
    /// at that place is removed from it first: add it again. Whatever interrupts, there is the one or the other.
    open func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil, withPersistentStoreFrom sourceURL: URL,
        sourceOptions: [AnyHashable: Any]? = nil, ofType storeType: String
    ) throws {
        try replace(destinationURL, with: sourceURL, storeType, destinationOptions, sourceOptions)
    }

    /// Replaces a store by another one.
    open func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil, withPersistentStoreFrom sourceURL: URL,
        sourceOptions: [AnyHashable: Any]? = nil, type sourceType: NSPersistentStore.StoreType
    ) throws {
        try replacePersistentStore(
            at: destinationURL, destinationOptions: destinationOptions, withPersistentStoreFrom: sourceURL,
            sourceOptions: sourceOptions, ofType: sourceType.rawValue)
    }

    /// Removes the objects of a store and its history from the disk. What stays is an empty store, as with Core Data:
    /// the file may be removed then. A store of this coordinator at that place is removed from it first. It is no error
    /// if there is none.
    open func destroyPersistentStore(
        at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
    ) throws {
        try destroy(url, storeType, options)
    }

    /// Empties a store, and removes its log.
    open func destroyPersistentStore(
        at url: URL, type storeType: NSPersistentStore.StoreType, options: [AnyHashable: Any]? = nil
    ) throws {
        try destroyPersistentStore(at: url, ofType: storeType.rawValue, options: options)
    }

    /// Runs a request as the context does, unsaved changes of the context left out.
    open func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext) throws -> Any {
        try run(request, for: context)
    }

    /// Makes stores of a type known by their class, a subclass of `NSIncrementalStore` or `NSAtomicStore`; nil takes
    /// the type away.
    open class func registerStoreClass(_ storeClass: AnyClass?, forStoreType storeType: String) {
        register(storeClass, storeType)
    }

    /// The classes of the types of stores, as the addresses of the classes.
    open class var registeredStoreTypes: [String: NSValue] { storeTypeValues() }

    /// The metadata of a store that is not open.
    open class func metadataForPersistentStore(ofType storeType: String?, at url: URL) throws -> [String: Any] {
        try StoreClasses.named(storeType ?? NSSQLiteStoreType).metadataForPersistentStore(with: url)
    }

    /// The metadata of a store that need not be open, nor have a model that is known here.
    open class func metadataForPersistentStore(
        ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try metadataForPersistentStore(ofType: storeType as String?, at: url)
    }

    /// Sets the metadata of a store.
    open class func setMetadata(
        _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String?, at url: URL
    ) throws {
        try StoreClasses.named(storeType ?? NSSQLiteStoreType).setMetadata(metadata, forPersistentStoreAt: url)
    }

    /// Sets the metadata of a store that need not be open, at once.
    open class func setMetadata(
        _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) throws {
        try setMetadata(metadata, forPersistentStoreOfType: storeType as String?, at: url)
    }

    /// The ID that a URI stands for; nil if its store is not one of the coordinator's.
    open func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? { id(for: url) }

    /// Runs `block` on the coordinator's queue, later.
    @preconcurrency
    open func perform(_ block: @escaping @Sendable () -> Void) { queue.async { block() } }

    /// Runs `block` on the coordinator's queue and waits for it.
    open func performAndWait(_ block: () -> Void) { wait(block) }

    /// Locks for callers from before coordinators had queues.
    open func lock() { lockForOlderCode.lock() }
    /// Locks for callers from before coordinators had queues.
    open func unlock() { lockForOlderCode.unlock() }
    /// Locks for callers from before coordinators had queues.
    open func tryLock() -> Bool { lockForOlderCode.try() }

    /// A context reads from this coordinator from now on. O(1), amortized.
    func addContext(_ context: NSManagedObjectContext) {
        state.withLock { state in
            if state.contexts.count >= state.contextSweepCount {
                state.contexts.removeAll { $0.object == nil }
                state.contextSweepCount = max(64, 2 * state.contexts.count)
            }
            state.contexts.append(WeakReference(context))
        }
    }

    /// The contexts that read from this coordinator, and their children.
    var contexts: [NSManagedObjectContext] {
        state.withLock { $0.contexts.compactMap(\.object) }.filter { $0.persistentStoreCoordinator === self }
    }

    func addFollower(_ context: NSManagedObjectContext) {
        let id = ObjectIdentifier(context)
        let stores = state.withLock { state in
            state.followers.removeAll { $0.context == nil || $0.id == id }
            state.followers.append(Follower(reference: WeakReference(context), id: id))
            return state.stores
        }
        for store in stores { store.startWatching() }
    }

    func removeFollower(_ context: NSManagedObjectContext) {
        let id = ObjectIdentifier(context)
        state.withLock { $0.followers.removeAll { $0.context == nil || $0.id == id } }
    }

    var followers: [NSManagedObjectContext] {
        state.withLock { $0.followers.compactMap(\.context) }
    }

    /// The observer of every save to the stores.
    package final var saveObserver: SaveObserver? {
        get { state.withLock { $0.observer } }
        set { state.withLock { $0.observer = newValue } }
    }
}

/// Stores that were added, in a notification.
public let NSAddedPersistentStoresKey = "added"
/// Stores that were removed, in a notification.
public let NSRemovedPersistentStoresKey = "removed"
/// Stores that have another UUID now, in a notification.
public let NSUUIDChangedPersistentStoresKey = "changedUUID"

/// The coordinator's queue, and its older lock.
extension NSPersistentStoreCoordinator {
    static let queueKey = DispatchSpecificKey<ObjectIdentifier>()

    /// A queue that tells the coordinator by what runs on it.
    func markQueue() { queue.setSpecific(key: Self.queueKey, value: ObjectIdentifier(self)) }

    /// Runs `block` on the coordinator's queue, waits for it, and gives what it gives. May be nested.
    public func performAndWait<T>(_ block: () throws -> T) rethrows -> T { try wait(block) }

    func wait<T>(_ block: () throws -> T) rethrows -> T {
        if DispatchQueue.getSpecific(key: Self.queueKey) == ObjectIdentifier(self) { return try block() }
        return try queue.sync { try block() }
    }

    /// Runs `block` on the coordinator's queue without blocking the caller.
    @preconcurrency
    public nonisolated func perform<T>(_ block: @escaping @Sendable () throws -> T) async rethrows -> T {
        let run = SingleRun(block)
        let result: Result<T, any Error> = await withCheckedContinuation { continuation in
            queue.async {
                continuation.resume(returning: Transferred(run()).release())
            }
        }
        return try NSManagedObjectContext.value(of: result, block) { throw $0 }
    }
}
