import FirnRuntime
import FirnStore
import FirnModel
import Foundation

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
        guard release(store) else { return }
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
