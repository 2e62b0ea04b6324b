import FirnProjection
import FirnLog
public import FirnModel
public import Foundation
import Synchronization

/// Binds a model, the stores that hold its objects, and the contexts that work on them.
/// https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator
open class NSPersistentStoreCoordinator: NSObject, @unchecked Sendable {
    public let managedObjectModel: NSManagedObjectModel
    open var name: String?
    private let queue = DispatchQueue(label: "NSPersistentStoreCoordinator")
    private let lockForOlderCode = NSRecursiveLock()
    /// Guards `state`.
    private let state = Mutex(State())

    private struct State {
        var stores: [NSPersistentStore] = []
        var followers: [Follower] = []
        /// The contexts that have this coordinator, among them ones that are gone.
        var contexts: [WeakContext] = []
        var contextSweepCount = 64
    }

    private struct WeakContext {
        weak var context: NSManagedObjectContext?
    }

    /// A context that merges other contexts' saves by itself.
    private struct Follower {
        weak var context: NSManagedObjectContext?
        let id: ObjectIdentifier
    }

    public init(managedObjectModel model: NSManagedObjectModel) {
        managedObjectModel = model
        super.init()
        model.freeze()
        EntityClasses.register(model)
    }

    /// A coordinator for a past state. Its model may be an old one, which no class of the program is looked up by.
    init(past model: NSManagedObjectModel) {
        managedObjectModel = model
        super.init()
        model.freeze()
    }

    deinit {
        for store in state.withLock({ $0.stores }) { store.willRemove(from: nil) }
    }

    open var persistentStores: [NSPersistentStore] { state.withLock { $0.stores } }

    /// Opens a store, making it if there is none, and adds it.
    @discardableResult
    open func addPersistentStore(
        ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        guard let entities = managedObjectModel.entities(forConfigurationName: configuration) else {
            throw CoreDataError.make(
                .persistentStoreOpen,
                "the model has no configuration \"\(configuration ?? "")\": it has "
                    + managedObjectModel.configurations.sorted().joined(separator: ", "))
        }
        guard [NSSQLiteStoreType, NSInMemoryStoreType].contains(storeType) else {
            throw CoreDataError.make(
                .persistentStoreInvalidType,
                "there is no store type \"\(storeType)\": use \(NSSQLiteStoreType) or \(NSInMemoryStoreType)")
        }
        let url = try Self.url(storeURL, storeType)
        let store = LoggedStore(
            type: storeType, coordinator: self, configurationName: configuration, url: url, options: options)
        try store.open(model: managedObjectModel, entities: entities)
        state.withLock { $0.stores.append(store) }
        store.didAdd(to: self)
        NotificationCenter.default.post(
            name: .NSPersistentStoreCoordinatorStoresDidChange, object: self,
            userInfo: [NSAddedPersistentStoresKey: [store]])
        if state.withLock({ !$0.followers.isEmpty }) { store.startWatching() }
        return store
    }

    private static func url(_ url: URL?, _ type: String) throws -> URL {
        if type == NSInMemoryStoreType { return url ?? URL(fileURLWithPath: "/dev/null") }
        guard let url, url.isFileURL else {
            throw CoreDataError.make(
                .persistentStoreOpen,
                "a store on disk needs a file URL, not \(url?.absoluteString ?? "nil")")
        }
        return url.standardizedFileURL
    }

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
        nonisolated(unsafe) let block = block
        nonisolated(unsafe) let description = storeDescription
        let add: @Sendable () -> Void = {
            do {
                _ = try self.addPersistentStore(
                    ofType: description.type, configurationName: description.configuration,
                    at: description.url, options: description.storeOptions)
                block(description, nil)
            } catch {
                block(description, error)
            }
        }
        if storeDescription.shouldAddStoreAsynchronously { queue.async(execute: add) } else { add() }
    }

    /// Takes a store that is open already.
    func adopt(_ store: NSPersistentStore) { state.withLock { $0.stores.append(store) } }

    open func remove(_ store: NSPersistentStore) throws {
        let removed = state.withLock { state in
            guard let index = state.stores.firstIndex(where: { $0 === store }) else { return false }
            state.stores.remove(at: index)
            return true
        }
        guard removed else {
            throw CoreDataError.make(
                .persistentStoreOperation, "the store \(store.identifier ?? "?") is not one of this coordinator's")
        }
        NotificationCenter.default.post(
            name: .NSPersistentStoreCoordinatorWillRemoveStore, object: self,
            userInfo: [NSRemovedPersistentStoresKey: [store]])
        store.willRemove(from: self)
        store.markRemoved()
        for context in contexts { context.storeWasRemoved(store) }
        NotificationCenter.default.post(
            name: .NSPersistentStoreCoordinatorStoresDidChange, object: self,
            userInfo: [NSRemovedPersistentStoresKey: [store]])
    }

    open func persistentStore(for URL: URL) -> NSPersistentStore? {
        let wanted = URL.standardizedFileURL
        return persistentStores.first { $0.url == wanted }
    }

    open func url(for store: NSPersistentStore) -> URL { store.url ?? URL(fileURLWithPath: "/dev/null") }

    open func metadata(for store: NSPersistentStore) -> [String: Any] { store.metadata }

    /// The ID that a URI stands for; nil if its store is not one of the coordinator's.
    open func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
        guard url.scheme == "x-coredata", let host = url.host?.uppercased(),
            let store = persistentStores.first(where: { $0.identifier.uppercased() == host }),
            url.pathComponents.count == 3, url.pathComponents[2].hasPrefix("p"),
            let primaryKey = Int64(url.pathComponents[2].dropFirst()),
            let entity = managedObjectModel.entitiesByName[url.pathComponents[1]],
            let schema = store.backend?.schema, schema.contains(entity)
        else { return nil }
        return store.objectID(for: ObjectKey(entity: schema.number(of: entity), primaryKey: primaryKey))
    }

    /// Runs `block` on the coordinator's queue, later.
    open func perform(_ block: @escaping () -> Void) {
        nonisolated(unsafe) let block = block
        queue.async { block() }
    }

    /// Runs `block` on the coordinator's queue and waits for it.
    open func performAndWait(_ block: () -> Void) { queue.sync(execute: block) }

    open func lock() { lockForOlderCode.lock() }
    open func unlock() { lockForOlderCode.unlock() }
    open func tryLock() -> Bool { lockForOlderCode.try() }

    /// A context reads from this coordinator from now on. O(1), amortized.
    func addContext(_ context: NSManagedObjectContext) {
        state.withLock { state in
            if state.contexts.count >= state.contextSweepCount {
                state.contexts.removeAll { $0.context == nil }
                state.contextSweepCount = max(64, 2 * state.contexts.count)
            }
            state.contexts.append(WeakContext(context: context))
        }
    }

    /// The contexts that read from this coordinator, and their children.
    private var contexts: [NSManagedObjectContext] {
        state.withLock { $0.contexts.compactMap(\.context) }.filter { $0.persistentStoreCoordinator === self }
    }

    func addFollower(_ context: NSManagedObjectContext) {
        let id = ObjectIdentifier(context)
        let stores = state.withLock { state in
            state.followers.removeAll { $0.context == nil || $0.id == id }
            state.followers.append(Follower(context: context, id: id))
            return state.stores
        }
        for case let store as LoggedStore in stores { store.startWatching() }
    }

    func removeFollower(_ context: NSManagedObjectContext) {
        let id = ObjectIdentifier(context)
        state.withLock { $0.followers.removeAll { $0.context == nil || $0.id == id } }
    }

    var followers: [NSManagedObjectContext] {
        state.withLock { $0.followers.compactMap(\.context) }
    }
}

public let NSAddedPersistentStoresKey = "added"
public let NSRemovedPersistentStoresKey = "removed"
public let NSUUIDChangedPersistentStoresKey = "changedUUID"
