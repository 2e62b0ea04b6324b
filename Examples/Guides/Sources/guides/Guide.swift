import CoreData
import CoreDataExtras
import FirnImport
import FirnPostgres

/// A guide's code goes here. Each section has a scope of its own.
func guide(
    _ container: NSPersistentContainer, _ coordinator: NSPersistentStoreCoordinator, _ context: NSManagedObjectContext
) async throws {
    do {
        // the code of a section
        let request = NSFetchRequest<Book>(entityName: "Book")
        let count = try await context.perform { try context.count(for: request) }
        print("\(count) books")
    }
}
