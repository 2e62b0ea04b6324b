import CoreData
import Testing

/// The same as `ImportTests` without `import Foundation`: `import CoreData` is all that a file needs.
@Suite("import CoreData alone")
struct AloneTests {
    @Test("names that Foundation has too resolve to ours")
    func names() {
        let predicate: NSPredicate = NSPredicate(format: "name == %@ AND age > 3", "Ada")
        #expect((predicate as? NSCompoundPredicate)?.subpredicates.count == 2)
        let first = (predicate as? NSCompoundPredicate)?.subpredicates.first as? NSComparisonPredicate
        #expect(first?.leftExpression == NSExpression(forKeyPath: "name"))
        let sort: NSSortDescriptor = NSSortDescriptor(key: "name", ascending: false)
        #expect(sort.reversedSortDescriptor as? NSSortDescriptor == NSSortDescriptor(key: "name", ascending: true))
        let undo: UndoManager = UndoManager()
        #expect(!undo.canRedo)
        let transformer: ValueTransformer.Type = NSSecureUnarchiveFromDataTransformer.self
        #expect(transformer.allowsReverseTransformation())
    }

    @Test("Foundation's names are there, and Core Data's classes with them")
    func foundation() {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.predicate = NSPredicate(value: true)
        let date: Date = Date(timeIntervalSinceReferenceDate: 0)
        #expect(NSPredicate(format: "SELF == %@", date as NSDate).evaluate(with: date))
        let error: NSError = NSError(domain: NSCocoaErrorDomain, code: NSManagedObjectValidationError)
        #expect(error.code == 1550)
        let name: Notification.Name = .NSManagedObjectContextDidSave
        #expect(name == NSManagedObjectContext.didSaveObjectsNotification)
    }

    @Test("the constants that code compares itself with are there")
    func constants() {
        #expect(NSCoreDataVersionNumber > 1000)
        let options: [AnyHashable: Any] = [
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
            NSPersistentStoreFileProtectionKey: "NSFileProtectionComplete",
            NSSQLitePragmasOption: ["journal_mode": "WAL"],
        ]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
        let store = try? coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: options)
        #expect(store?.type == NSInMemoryStoreType)
        #expect(store?.metadata?[NSPersistentStoreOSCompatibility] == nil)
    }
}
