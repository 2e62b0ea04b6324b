import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Conformance: the settings of a fetch from an incremental store")
struct IncrementalFetchConformanceTests {
    let server = DictionaryStore.Server()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
    let context: NSManagedObjectContext

    init() throws {
        let url = try #require(URL(string: "dictionary://\(UUID().uuidString)/"))
        DictionaryStore.use(server, at: url)
        try coordinator.addPersistentStore(type: DictionaryStore.storeType, at: url)
        context = coordinator.context()
        for index in 0..<5 {
            server.rows["b\(index)"] = .init(entity: "Book", values: ["title": "Book \(index)", "author": "ada"])
        }
        server.rows["ada"] = .init(entity: "Author", values: ["name": "Ada", "books": (0..<5).map { "b\($0)" }])
    }

    private func books() -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        return request
    }

    private static let titles = (0..<5).map { "Book \($0)" }

    @Test("h.8 objects are no faults if the request does not want them to be")
    func realized() throws {
        let request = books()
        request.returnsObjectsAsFaults = false
        let found = try context.fetch(request)
        #expect(found.count == 5)
        #expect(found.allSatisfy { !$0.isFault })
    }

    @Test("h.8 batches come in the store's order, whole")
    func batches() throws {
        let request = books()
        request.fetchBatchSize = 2
        #expect(try context.fetch(request).map { $0.text("title") } == Self.titles)
    }

    @Test("h.8 objects without their values read them when they are asked")
    func withoutValues() throws {
        let request = books()
        request.includesPropertyValues = false
        #expect(try context.fetch(request).map { $0.text("title") } == Self.titles)
    }

    @Test("h.8 relationships are fetched along")
    func prefetching() throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.relationshipKeyPathsForPrefetching = ["books"]
        let ada = try #require(try context.fetch(request).first)
        server.log = []
        #expect(ada.books.map { $0.text("title") } == Self.titles)
        #expect(server.log.filter { $0.hasPrefix("values") || $0.hasPrefix("books") } == [])
    }

    @Test("h.8 a fetched results controller follows the objects of a server")
    func results() throws {
        let controller = NSFetchedResultsController(
            fetchRequest: books(), managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        try controller.performFetch()
        #expect(controller.fetchedObjects?.map { $0.text("title") } == Self.titles)
        _ = context.make("Book", ["title": "Book 5"])
        controller.fetchedObjects?.first.map(context.delete)
        try context.save()
        try controller.performFetch()
        #expect(controller.fetchedObjects?.map { $0.text("title") } == Array(Self.titles.dropFirst()) + ["Book 5"])
    }

    @Test("h.8 a failing store fails the fetch with its own error")
    func failing() throws {
        server.failure = NSError(domain: "Server", code: 503)
        let error = #expect(throws: NSError.self) { try context.fetch(books()) }
        #expect(error?.domain == "Server")
    }

    @Test("h.16 what a pinned context reads from a server is what there is now")
    func pinned() throws {
        let directory = try TemporaryDirectory()
        try coordinator.addPersistentStore(type: .sqlite, at: directory.file("Library.sqlite"))
        try context.setQueryGenerationFrom(.current)
        #expect(try context.fetch(books()).map { $0.text("title") } == Self.titles)
    }
}
