import CoreData
import Foundation

/// The stack as tutorials write it: a singleton whose parts are made when they are first asked for.
final class CoreDataStackManager: @unchecked Sendable {
    static let sharedManager = CoreDataStackManager()

    private static let storeFileName = "Orders.sqlite"

    private init() {}

    lazy var applicationDocumentsDirectory: URL = {
        let folder = CommandLine.arguments.dropFirst().first ?? NSTemporaryDirectory()
        return URL(fileURLWithPath: folder, isDirectory: true)
    }()

    lazy var managedObjectModel: NSManagedObjectModel = {
        // On iOS: Bundle.main.url(forResource: "Orders", withExtension: "momd")
        let modelURL = Bundle.module.url(forResource: "Orders", withExtension: "xcdatamodeld")!
        return NSManagedObjectModel(contentsOf: modelURL)!
    }()

    lazy var persistentStoreCoordinator: NSPersistentStoreCoordinator? = makeCoordinator()

    /// For the user interface, on the main queue.
    lazy var managedObjectContext: NSManagedObjectContext = {
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = self.persistentStoreCoordinator
        context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        return context
    }()

    /// For imports: a context on a queue of its own with a coordinator of its own, so that it waits for nobody.
    func newPrivateQueueContextWithNewPSC() throws -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.performAndWait {
            context.persistentStoreCoordinator = makeCoordinator()
            context.undoManager = nil
        }
        return context
    }

    func saveContext() {
        guard managedObjectContext.hasChanges else { return }
        do {
            try managedObjectContext.save()
        } catch {
            let nserror = error as NSError
            stop("the changes could not be saved", nserror)
        }
    }

    private func makeCoordinator() -> NSPersistentStoreCoordinator? {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: managedObjectModel)
        let url = applicationDocumentsDirectory.appendingPathComponent(Self.storeFileName)
        let options: [AnyHashable: Any] = [
            NSMigratePersistentStoresAutomaticallyOption: true,
            NSInferMappingModelAutomaticallyOption: true,
        ]
        do {
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        } catch {
            stop("the store \(url.path) could not be opened", error)
        }
        return coordinator
    }
}

/// Ends the program with a sentence. An application would show it and go on.
func stop(_ what: String, _ error: any Error) -> Never {
    try? FileHandle.standardError.write(contentsOf: Data("\(what): \(error.localizedDescription)\n".utf8))
    exit(1)
}
