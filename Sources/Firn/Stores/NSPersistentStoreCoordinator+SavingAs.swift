import FirnStore
import FirnLog
import FirnModel
import Foundation

/// A store that is rewritten at another place, and continues there.
extension NSPersistentStoreCoordinator {
    func saveAs(
        _ store: NSPersistentStore, _ url: URL, _ type: String, _ options: [AnyHashable: Any]?
    ) throws -> NSPersistentStore {
        guard persistentStores.contains(where: { $0 === store }) else {
            throw CoreDataError.make(
                .persistentStoreOperation, "the store \(store.identifier ?? "?") is not one of this coordinator's")
        }
        let place = try StorePlace.url(url, type)
        try StoreFiles.refuseServer(place, "written by copying a store: use firn push")
        let new = try make(type, store.configurationName, place, options)
        do {
            if let from = store.loggedStore, let to = new.loggedStore {
                try copyLog(of: from, to)
                try open(to)
                replaceStore(of: from, to, ids: nil)
            } else {
                try refuseTaken(place, type)
                try open(new)
                replaceStore(of: store, new, ids: try copyObjects(of: store, new))
            }
        } catch {
            throw StoreError.opening(error, path: place.path)
        }
        return new
    }

    /// A failure leaves no new store.
    private func copyObjects(
        of store: NSPersistentStore, _ new: NSPersistentStore
    ) throws -> [NSManagedObjectID: NSManagedObjectID] {
        do {
            return try StoreCopy(from: store, to: new, model: managedObjectModel).run()
        } catch {
            new.willRemove(from: nil)
            new.markRemoved()
            removeFiles(of: new)
            throw error
        }
    }

    private func removeFiles(of store: NSPersistentStore) {
        guard let url = store.url, store.type != NSInMemoryStoreType else { return }
        if store.loggedStore != nil {
            let files = StoreFiles(url, fileSystem: LogFileSystem.of(store.options))
            if url.isFileURL, !NullDevice.holds(url) { try? files.remove(isForced: true) }
            return
        }
        let options = [NSPersistentStoreForceDestroyOption: NSNumber(value: true)]
        try? type(of: store).destroyStore(at: url, options: options)
    }

    private func refuseTaken(_ url: URL, _ type: String) throws {
        guard type != NSInMemoryStoreType, url.isFileURL, !NullDevice.holds(url) else { return }
        let files = StoreFiles(url)
        if type == NSSQLiteStoreType ? files.isTaken : files.isThere { throw Self.alreadyExists(url) }
    }

    private static func alreadyExists(_ url: URL) -> NSError {
        CoreDataError.make(
            .persistentStoreOperation,
            "there is a file or a store at \(url.path): choose another place, or replace the store that is there",
            [NSFilePathErrorKey: url.path])
    }

    private func copyLog(of store: LoggedStore, _ new: LoggedStore) throws {
        if let files = new.memoryFiles?.fileSystem {
            if try SegmentLog.exists(directory: StoreOpening.memoryDirectory, fileSystem: files) {
                throw Self.alreadyExists(new.url ?? NullDevice.url)
            }
            return try store.engine.log.copy(to: StoreOpening.memoryDirectory, on: files)
        }
        guard let url = new.url else { return }
        try refuseTaken(url, new.type)
        try StoreFiles(url, fileSystem: LogFileSystem.of(new.options)).copyLog(store.engine.log)
    }

    /// Opens a store, and removes it if that fails.
    private func open(_ new: NSPersistentStore) throws {
        do {
            try new.open(model: managedObjectModel, entities: entities(of: new.configurationName))
        } catch {
            removeFiles(of: new)
            throw error
        }
    }

    /// Puts the new store where the old one was, here and in the contexts. Without `ids` the objects have the same keys
    /// in both.
    private func replaceStore(
        of old: NSPersistentStore, _ new: NSPersistentStore, ids: [NSManagedObjectID: NSManagedObjectID]?
    ) {
        NotificationCenter.default.post(
            name: .NSPersistentStoreCoordinatorWillRemoveStore, object: old,
            userInfo: [NSRemovedPersistentStoresKey: [old]])
        // Until a context has moved its objects they read from the new store by way of the old one.
        if ids == nil { old.readFrom(new) }
        _ = exchange(old, for: new)
        old.willRemove(from: self)
        new.didAdd(to: self)
        for context in contexts { context.storeWasReplaced(old, by: new, ids: ids) }
        var told = [NSAddedPersistentStoresKey: [new], NSRemovedPersistentStoresKey: [old]]
        if old.identifier != new.identifier { told[NSUUIDChangedPersistentStoresKey] = [old, new] }
        postStoresDidChange(told)
        if !followers.isEmpty { new.startWatching() }
    }
}
