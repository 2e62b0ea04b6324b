import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport

/// What a program does first with what it has just loaded.
enum FirstUse {
    /// Adds a store in memory, and fetches the objects of each entity.
    static func open(_ model: NSManagedObjectModel) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        try read(coordinator)
    }

    /// Opens a store, reads all of it and its history, saves an object, and closes it.
    static func open(
        _ url: URL, _ model: NSManagedObjectModel, type: String = NSSQLiteStoreType, saving name: String? = nil,
        options: [AnyHashable: Any]? = nil
    ) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url, options: options)
        defer { try? coordinator.remove(store) }
        _ = store.metadata?.count
        try read(coordinator)
        if type == NSSQLiteStoreType { try readHistory(coordinator) }
        guard let name else { return }
        let context = coordinator.context()
        try context.performAndWait {
            _ = context.make(name)
            try context.save()
        }
    }

    /// Every attribute of every object, which a fetch reads. A fault that
    /// cannot be read later ends the program, with words.
    static func read(_ coordinator: NSPersistentStoreCoordinator) throws {
        let context = coordinator.context()
        try context.performAndWait {
            for entity in coordinator.managedObjectModel.entities where !entity.isAbstract {
                let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
                request.returnsObjectsAsFaults = false
                for object in try context.fetch(request) {
                    for name in object.entity.attributesByName.keys { _ = object.value(forKey: name) }
                    _ = object.objectID.uriRepresentation()
                }
            }
        }
    }

    private static func readHistory(_ coordinator: NSPersistentStoreCoordinator) throws {
        let context = coordinator.context()
        try context.performAndWait {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
            let result = try context.execute(request) as? NSPersistentHistoryResult
            for transaction in result?.result as? [NSPersistentHistoryTransaction] ?? [] {
                for change in transaction.changes ?? [] {
                    _ = (change.changedObjectID, change.updatedProperties?.count, change.tombstone?.count)
                }
            }
        }
    }
}
