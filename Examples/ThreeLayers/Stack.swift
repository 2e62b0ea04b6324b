import CoreData
import Foundation

/// Three contexts, one above the other: the root writes on its own queue, the main context is what the user sees, the
/// readers below it look things up without disturbing it.
///
///     root     private queue   saves to the store
///       main     main queue      the user's changes
///         reader   private queue   reads, merges what main saves
final class Stack: @unchecked Sendable {
    let root: NSManagedObjectContext
    let main: NSManagedObjectContext
    let reader: NSManagedObjectContext
    private var observers: [NSObjectProtocol] = []

    init(folder: URL) throws {
        let modelURL = Bundle.module.url(forResource: "Notes", withExtension: "xcdatamodeld")!
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: NSManagedObjectModel(contentsOf: modelURL)!)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil,
            at: folder.appendingPathComponent("Notes.sqlite"), options: nil)
        root = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        root.persistentStoreCoordinator = coordinator
        main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        main.parent = root
        reader = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        reader.parent = main
        observers.append(
            NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextDidSave, object: main, queue: nil
            ) { [weak self] notification in
                self?.reader.perform { self?.reader.mergeChanges(fromContextDidSave: notification) }
            })
    }

    deinit { observers.forEach(NotificationCenter.default.removeObserver) }

    /// Saves from the main context down to the store; the root writes in the background.
    func save(completion: @escaping @Sendable (Error?) -> Void) {
        do {
            try main.save()
        } catch {
            return completion(error)
        }
        root.perform {
            do {
                try self.root.save()
                completion(nil)
            } catch {
                completion(error)
            }
        }
    }
}
