import Firn
import FirnModel
import Foundation
import StoreSupport
import Testing

/// Blocks that are written in code of the main actor, without a word about where they run.
@Suite("Conformance (m): blocks written on the main actor")
@MainActor
struct ActorConformanceTests {
    private let context: NSManagedObjectContext

    init() throws { context = try Library.inMemory().context() }

    @Test("m.30 a block of perform that is written on the main actor fetches on the context's queue")
    func fetching() async throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.predicate = NSPredicate(format: "name != nil")
        try await context.perform {
            _ = context.make("Author", ["name": "Ada"])
            try context.save()
        }
        let names = try await context.perform { try context.fetch(request).map { $0.text("name") } }
        #expect(names == ["Ada"])
    }

    @Test("m.30 a block without a result that is written on the main actor runs on the context's queue")
    func enqueueing() async {
        let context = context
        let names = await withCheckedContinuation { continuation in
            context.perform {
                _ = context.make("Author", ["name": "Ada"])
                continuation.resume(returning: context.insertedObjects.map { $0.text("name") })
            }
        }
        #expect(names == ["Ada"])
    }

    @Test("m.30 a background task that is written on the main actor runs on its context's queue")
    func backgroundTask() async throws {
        let container = NSPersistentContainer(name: "Library", managedObjectModel: Library.model())
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [description]
        container.loadPersistentStores { _, _ in }
        let names = try await container.performBackgroundTask { context in
            _ = context.make("Author", ["name": "Ada"])
            try context.save()
            return try context.all("Author").map { $0.text("name") }
        }
        #expect(names == ["Ada"])
    }
}
