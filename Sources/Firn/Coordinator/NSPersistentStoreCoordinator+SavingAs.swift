import FirnLog
import FirnModel
import Foundation

/// A store that is written anew at another place, and goes on there.
extension NSPersistentStoreCoordinator {
    func saveAs(
        _ store: NSPersistentStore, _ url: URL, _ type: String, _ options: [AnyHashable: Any]?
    ) throws -> NSPersistentStore {
        guard persistentStores.contains(where: { $0 === store }) else {
            throw CoreDataError.make(
                .persistentStoreOperation, "the store \(store.identifier ?? "?") is not one of this coordinator's")
        }
        let place = try Self.url(url, type)
        let new = try make(type, store.configurationName, place, options)
        guard let from = store as? LoggedStore, let to = new as? LoggedStore else {
            throw CoreDataError.make(
                .persistentStoreInvalidType, "a \(store.type) store cannot become a \(type) store")
        }
        do {
            try copyLog(of: from, to)
            try open(to)
        } catch {
            throw StoreError.opening(error, path: place.path)
        }
        takePlace(of: from, to)
        return to
    }

    private func copyLog(of store: LoggedStore, _ new: LoggedStore) throws {
        if let new = new as? InMemoryStore {
            return try store.engine.log.copy(to: StoreOpening.memoryDirectory, on: new.files)
        }
        guard let url = new.url else { return }
        let files = StoreFiles(url)
        guard !files.isThere else {
            throw CoreDataError.make(
                .persistentStoreOperation,
                "there is a file or a store at \(url.path): choose another place, or replace the store that is there",
                [NSFilePathErrorKey: url.path])
        }
        files.removeLeftovers()
        let copy = files.newLogDirectory()
        do {
            try store.engine.log.copy(to: copy)
        } catch {
            try? FileManager.default.removeItem(atPath: copy)
            throw error
        }
        try StoreSurroundings.current.reached(.copied)
        try files.take(copy)
    }

    /// What cannot be opened is not left behind.
    private func open(_ new: LoggedStore) throws {
        do {
            try new.open(model: managedObjectModel, entities: entities(of: new.configurationName))
        } catch {
            if !new.isInMemory, let url = new.url { try? StoreFiles(url).destroy(isForced: true) }
            throw error
        }
    }

    /// Puts the new store where the old one was, here and in the contexts.
    private func takePlace(of old: LoggedStore, _ new: LoggedStore) {
        NotificationCenter.default.post(
            name: .NSPersistentStoreCoordinatorWillRemoveStore, object: self,
            userInfo: [NSRemovedPersistentStoresKey: [old]])
        // Until a context has moved its objects they read from the new store by way of the old one.
        old.readFrom(new)
        _ = exchange(old, for: new)
        old.willRemove(from: self)
        new.didAdd(to: self)
        for context in contexts { context.storeWasReplaced(old, by: new) }
        var told = [NSAddedPersistentStoresKey: [new as NSPersistentStore], NSRemovedPersistentStoresKey: [old]]
        if old.identifier != new.identifier { told[NSUUIDChangedPersistentStoresKey] = [old, new] }
        tellChange(told)
        if !followers.isEmpty { new.startWatching() }
    }
}
