import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Conformance: atomic stores")
struct AtomicStoreConformanceTests {
    let directory: TemporaryDirectory
    var url: URL { directory.file("Library.json") }

    init() throws {
        JSONStore.register
        directory = try TemporaryDirectory()
    }

    private func seed() throws {
        let text = """
            {"uuid": "8C1B7B9C-0000-4000-8000-000000000001", "objects": [
                {"entity": "Author", "ref": "ada", "name": "Ada", "age": 36, "books": ["b2", "b1"]},
                {"entity": "Poet", "ref": "eve", "name": "Eve", "meter": "iambic"},
                {"entity": "Book", "ref": "b1", "title": "One", "tags": ["t"]},
                {"entity": "Book", "ref": "b2", "title": "Two"},
                {"entity": "Tag", "ref": "t", "label": "t"}
            ]}
            """
        try Data(text.utf8).write(to: url)
    }

    private func open() throws -> (NSPersistentStoreCoordinator, JSONStore) {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        let store = try coordinator.addPersistentStore(type: JSONStore.storeType, at: url)
        return (coordinator, try #require(store as? JSONStore))
    }

    private func author(_ name: String, _ context: NSManagedObjectContext) throws -> NSManagedObject {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.predicate = NSPredicate(format: "name == %@", name)
        return try #require(try context.fetch(request).first)
    }

    @Test("h.9 the file's objects are fetched with predicates, orders and relationships that one side tells")
    func loading() throws {
        try seed()
        let (coordinator, store) = try open()
        let context = coordinator.context()
        #expect(store.identifier == "8C1B7B9C-0000-4000-8000-000000000001")
        let ada = try author("Ada", context)
        #expect(ada.books.map { $0.text("title") } == ["Two", "One"])
        #expect(ada.books.first?.value(forKey: "author") as? NSManagedObject === ada)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: "ANY tags.label == 't' AND author.name == 'Ada'")
        #expect(try context.fetch(request).map { $0.text("title") } == ["One"])
        #expect(try context.all("Poet").map { $0.text("meter") } == ["iambic"])
        #expect(ada.objectID.uriRepresentation().absoluteString.hasSuffix("/Author/pada"))
    }

    @Test("h.9 what is saved is in the file, under the references that the store gives")
    func saving() throws {
        do {
            let (coordinator, store) = try open()
            let context = coordinator.context()
            let ada = context.make("Author", ["name": "Ada"])
            ada.setValue(NSOrderedSet(array: [context.make("Book", ["title": "One"])]), forKey: "books")
            try context.save()
            #expect(ada.objectID.uriRepresentation().lastPathComponent == "pada")
            #expect(store.cacheNode(for: ada.objectID)?.value(forKey: "name") as? String == "Ada")
            ada.setValue(36, forKey: "age")
            let bob = context.make("Author", ["name": "Bob"])
            try context.save()
            context.delete(bob)
            try context.save()
            #expect(store.removedCount == 1)
            try coordinator.remove(store)
        }
        let (coordinator, store) = try open()
        let context = coordinator.context()
        let ada = try author("Ada", context)
        #expect(ada.number("age") == 36)
        #expect(ada.books.map { $0.text("title") } == ["One"])
        #expect(try context.all("Author").count == 1)
        #expect(store.cacheNodes().count == 2)
    }

    @Test("h.9 a save that the store refuses leaves file, nodes and objects as they were")
    func failing() throws {
        try seed()
        let (coordinator, store) = try open()
        let before = try Data(contentsOf: url)
        let context = coordinator.context()
        let ada = try author("Ada", context)
        ada.setValue("Countess", forKey: "name")
        let bob = context.make("Author", ["name": "Bob"])
        context.delete(try author("Eve", context))
        store.failure = NSError(domain: "Disk", code: 1)
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.domain == "Disk")
        #expect(bob.objectID.isTemporaryID)
        #expect(store.cacheNodes().count == 5)
        #expect(store.cacheNode(for: ada.objectID)?.value(forKey: "name") as? String == "Ada")
        #expect(try Data(contentsOf: url) == before)
        store.failure = nil
        try context.save()
        #expect(store.cacheNodes().count == 5)
        #expect(store.cacheNode(for: ada.objectID)?.value(forKey: "name") as? String == "Countess")
    }

    @Test("h.9 contexts conflict as with every other store")
    func conflicts() throws {
        try seed()
        let (coordinator, _) = try open()
        let (one, two) = (coordinator.context(), coordinator.context())
        let (mine, theirs) = (try author("Ada", one), try author("Ada", two))
        _ = mine.text("name")
        theirs.setValue(50, forKey: "age")
        try two.save()
        mine.setValue(60, forKey: "age")
        #expect(throws: NSError.self) { try one.save() }
        one.mergePolicy = NSMergePolicy.overwrite
        try one.save()
        let fresh = coordinator.context()
        #expect(try author("Ada", fresh).number("age") == 60)
    }

    @Test("h.9 an object is found again by its URI when the store is opened again")
    func uris() throws {
        try seed()
        let uri: URL
        do {
            let (coordinator, _) = try open()
            let context = coordinator.context()
            uri = try author("Ada", context).objectID.uriRepresentation()
        }
        let (coordinator, _) = try open()
        let context = coordinator.context()
        let id = try #require(coordinator.managedObjectID(forURIRepresentation: uri))
        #expect(try context.existingObject(with: id).text("name") == "Ada")
    }

    @Test("h.9 setURL makes the next save write elsewhere")
    func elsewhere() throws {
        try seed()
        let (coordinator, store) = try open()
        let before = try Data(contentsOf: url)
        #expect(coordinator.setURL(directory.file("Other.json"), for: store))
        let context = coordinator.context()
        try author("Ada", context).setValue("Countess", forKey: "name")
        try context.save()
        #expect(try Data(contentsOf: url) == before)
        #expect(try String(contentsOf: directory.file("Other.json"), encoding: .utf8).contains("Countess"))
    }

    @Test("h.9 a file that cannot be read fails the adding of the store, and stays")
    func unreadable() throws {
        try Data("no JSON".utf8).write(to: url)
        #expect(throws: (any Error).self) { try open() }
        #expect(try String(contentsOf: url, encoding: .utf8) == "no JSON")
    }
}
