import FirnStore
import FirnLog
import FirnModel
import Foundation

/// Stores that are copied, replaced, destroyed, and found at another place.
extension NSPersistentStoreCoordinator {
    func destroy(_ url: URL, _ type: String, _ options: [AnyHashable: Any]?) throws {
        let storeClass = try StoreClasses.named(type)
        let place = url.isFileURL ? url.standardizedFileURL : url
        if let open = persistentStore(for: place) { try remove(open) }
        try storeClass.destroyStore(at: place, options: options)
    }

    func replace(_ destination: URL, with source: URL, _ type: String) throws {
        let storeClass = try StoreClasses.named(type)
        let (source, destination) = (source.standardizedFileURL, try Self.url(destination, type))
        if storeClass is NSAtomicStore.Type { return try replaceFile(destination, with: source) }
        guard type == NSSQLiteStoreType else {
            throw CoreDataError.make(
                .persistentStoreOperation, "a store of the type \(type) cannot be replaced: it has no file of its own")
        }
        for url in [source, destination] where NullDevice.holds(url) {
            throw CoreDataError.make(
                .persistentStoreOperation,
                "the store \(url.path) is in memory and has no files that could be copied or replaced: "
                    + "use migratePersistentStore(_:to:options:type:)")
        }
        try StoreFiles.refuseServer(
            destination,
            "replaced: each machine that shares it has a copy, with what its contexts and subscriptions have read, "
                + "from which no other store can go on. Destroy it, which they are told of, and make the new one with "
                + "firn push")
        try StoreFiles.refuseServer(
            source, "copied as a file is: bring it with firn pull, and replace the other store with that")
        do {
            guard source != destination else { return }
            let files = StoreFiles(destination)
            let copy = files.newLogDirectory()
            try Self.copyLog(of: source, to: copy)
            try TestHooks.current.reached(.copied)
            if let open = persistentStore(for: destination) { try remove(open) }
            try files.replaceLog(with: copy)
        } catch {
            throw StoreError.opening(error, path: destination.path)
        }
    }

    private func replaceFile(_ destination: URL, with source: URL) throws {
        do {
            let bytes = [UInt8](try Data(contentsOf: source))
            if let open = persistentStore(for: destination) { try remove(open) }
            try PosixFileSystem().replaceFile(
                destination.path, in: destination.deletingLastPathComponent().path, with: bytes)
        } catch {
            throw CoreDataError.make(
                .persistentStoreOperation, "cannot replace \(destination.path) with \(source.path): \(error)",
                [NSFilePathErrorKey: destination.path], underlying: error)
        }
    }

    /// The copy is opened once, so that what is not sound is found while the old store is still there.
    private static func copyLog(of source: URL, to directory: String) throws {
        let from = StoreFiles(source).logDirectory
        guard try SegmentLog.exists(directory: from) else {
            throw CoreDataError.make(
                .persistentStoreOpen, "there is no store at \(source.path) to copy", [NSFilePathErrorKey: source.path])
        }
        do {
            let isWritable = access(from, W_OK) == 0
            let log = try SegmentLog.open(directory: from, forWriting: isWritable)
            defer { log.close() }
            try log.copy(to: directory)
            try SegmentLog.open(directory: directory, forWriting: true).close()
        } catch {
            try? FileManager.default.removeItem(atPath: directory)
            throw error
        }
    }

    func move(_ store: NSPersistentStore, to url: URL) -> Bool {
        guard persistentStores.contains(where: { $0 === store }),
            let entities = managedObjectModel.entities(forConfigurationName: store.configurationName)
        else { return false }
        return store.move(to: url.standardizedFileURL, model: managedObjectModel, entities: entities)
    }

    /// What the context is left out of: requests see what the stores have.
    func run(_ request: NSPersistentStoreRequest, for context: NSManagedObjectContext) throws -> Any {
        guard context.persistentStoreCoordinator === self else {
            throw CoreDataError.make(
                .persistentStoreOperation,
                "the context works on another coordinator: give one whose persistentStoreCoordinator is this one")
        }
        guard let fetch = request as? UntypedFetchRequest, let copy = fetch.copy() as? UntypedFetchRequest else {
            return try context.execute(request)
        }
        copy.settings.includesPendingChanges = false
        return try context.results(copy)
    }
}
