public import FirnModel
import FirnRuntime
import FirnStore
public import Foundation
import Synchronization

/// Adding stores and removing them.
extension NSPersistentStoreCoordinator {
    func add(
        _ type: String, _ configuration: String?, _ url: URL?, _ options: [AnyHashable: Any]?
    ) throws -> NSPersistentStore {
        let store = try make(type, configuration, StorePlace.url(url, type), options)
        try store.open(model: managedObjectModel, entities: entities(of: configuration))
        try refuseSecond(store)
        adopt(store)
        store.didAdd(to: self)
        postStoresDidChange([NSAddedPersistentStoresKey: [store]])
        if !followers.isEmpty { store.startWatching() }
        return store
    }

    /// A store that is not open yet.
    func make(
        _ type: String, _ configuration: String?, _ url: URL, _ options: [AnyHashable: Any]?
    ) throws -> NSPersistentStore {
        try StoreOptions.check(options)
        _ = try entities(of: configuration)
        let store = try StoreClasses.named(type).init(
            persistentStoreCoordinator: self, configurationName: configuration, at: url, options: options)
        store.persistentStoreCoordinator = self
        return store
    }

    func entities(of configuration: String?) throws -> [NSEntityDescription] {
        if let entities = managedObjectModel.entities(forConfigurationName: configuration) { return entities }
        throw CoreDataError.make(
            .persistentStoreOpen,
            "the model has no configuration \"\(configuration ?? "")\": it has "
                + managedObjectModel.configurations.sorted().joined(separator: ", "))
    }

    /// Two stores with one UUID would have the same object IDs.
    private func refuseSecond(_ store: NSPersistentStore) throws {
        guard let other = persistentStores.first(where: { $0.identifier == store.identifier }) else { return }
        store.willRemove(from: nil)
        store.markRemoved()
        throw CoreDataError.make(
            .persistentStoreOpen,
            "the store \(store.placeName) has the UUID of one that was added already "
                + "(\(other.placeName)): a store, or a copy of it, can be added to a coordinator once",
            [NSFilePathErrorKey: store.url?.path ?? "", NSAffectedStoresErrorKey: [other]])
    }

    func detach(_ store: NSPersistentStore) throws {
        guard persistentStores.contains(where: { $0 === store }) else {
            throw CoreDataError.make(
                .persistentStoreOperation, "the store \(store.identifier ?? "?") is not one of this coordinator's")
        }
        NotificationCenter.default.post(
            name: .NSPersistentStoreCoordinatorWillRemoveStore, object: store,
            userInfo: [NSRemovedPersistentStoresKey: [store]])
        // An observer may have removed it.
        guard exchange(store, for: nil) else { return }
        store.willRemove(from: self)
        store.markRemoved()
        for context in contexts { context.storeWasRemoved(store) }
        postStoresDidChange([NSRemovedPersistentStoresKey: [store]])
    }

    func postStoresDidChange(_ userInfo: [String: [Any]]) {
        NotificationCenter.default.post(
            name: .NSPersistentStoreCoordinatorStoresDidChange, object: self, userInfo: userInfo)
    }

    static func storeTypeValues() -> [String: NSValue] {
        StoreClasses.all.mapValues { type in
            // Linux's NSValue holds no pointers: the class's address, as a number.
            var address = UInt64(ObjectClass.number(of: type))
            return NSValue(bytes: &address, objCType: "Q")
        }
    }

    /// Makes stores of a type known by their class; nil takes the type away.
    public class func registerStoreClass(_ storeClass: AnyClass?, type: NSPersistentStore.StoreType) {
        registerStoreClass(storeClass, forStoreType: type.rawValue)
    }
}

/// Metadata and models of a store that is not open.
extension NSPersistentStoreCoordinator {
    /// The metadata of a store that is not open.
    public class func metadataForPersistentStore(
        type storeType: NSPersistentStore.StoreType, at storeURL: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try metadataForPersistentStore(ofType: storeType.rawValue, at: storeURL, options: options)
    }

    /// Sets the metadata of a store.
    public class func setMetadata(
        _ metadata: [String: Any]?, type storeType: NSPersistentStore.StoreType, at storeURL: URL,
        options: [AnyHashable: Any]? = nil
    ) throws {
        try setMetadata(metadata, forPersistentStoreOfType: storeType.rawValue, at: storeURL, options: options)
    }

    /// The model that the store on disk at `url` was last written with: its log carries it. Nil if nothing was written
    /// yet.
    public class func cachedModelForPersistentStore(
        at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> NSManagedObjectModel? {
        try StoredMetadata(url: url.standardizedFileURL).model()
    }
}

/// The classes of stores, by type. Thread-safe.
enum StoreClasses {
    private static let classes = Mutex<[String: NSPersistentStore.Type]>(standard)

    static var all: [String: NSPersistentStore.Type] { classes.withLock { $0 } }

    /// Nil takes the type away.
    static func register(_ type: NSPersistentStore.Type?, for name: String) {
        classes.withLock { $0[name] = type }
    }

    /// Throws 134000 for a type that no class was registered for.
    static func named(_ name: String) throws -> NSPersistentStore.Type {
        let known = all
        if let type = known[name] { return type }
        throw CoreDataError.make(
            .persistentStoreInvalidType,
            "there is no store type \"\(name)\": use \(known.keys.sorted().joined(separator: ", ")), or register a "
                + "class of your own with registerStoreClass(_:type:)")
    }
}
