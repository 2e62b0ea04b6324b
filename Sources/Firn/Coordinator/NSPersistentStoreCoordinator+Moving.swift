import FirnStore
import FirnModel
import Foundation

/// Stores that are copied, replaced, destroyed, and found at another place.
extension NSPersistentStoreCoordinator {
    func destroy(_ url: URL, _ type: String, _ options: [AnyHashable: Any]?) throws {
        try StoreOptions.check(options)
        let storeClass = try StoreClasses.named(type)
        let place = url.isFileURL ? url.standardizedFileURL : url
        if let open = persistentStore(for: place) { try remove(open) }
        try storeClass.destroyStore(at: place, options: options)
    }

    func replace(
        _ destination: URL, with source: URL, _ type: String, _ options: [AnyHashable: Any]?,
        _ sourceOptions: [AnyHashable: Any]?
    ) throws {
        try StoreOptions.check(options)
        try StoreOptions.check(sourceOptions)
        let storeClass = try StoreClasses.named(type)
        let (source, destination) = (source.standardizedFileURL, try StorePlace.url(destination, type))
        try storeClass.replaceStore(at: destination, with: source, options: options) {
            if let open = persistentStore(for: destination) { try remove(open) }
        }
    }

    func move(_ store: NSPersistentStore, to url: URL) -> Bool {
        guard persistentStores.contains(where: { $0 === store }),
            let entities = managedObjectModel.entities(forConfigurationName: store.configurationName)
        else { return false }
        return store.move(to: url.standardizedFileURL, model: managedObjectModel, entities: entities)
    }

    /// Runs a request without the context: it sees what the stores have.
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
