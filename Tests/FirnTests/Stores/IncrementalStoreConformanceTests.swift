import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Conformance: incremental stores")
struct IncrementalStoreConformanceTests {
    let server = DictionaryStore.Server()
    let url = URL(string: "dictionary://\(UUID().uuidString)/")!
    let coordinator: NSPersistentStoreCoordinator
    let store: NSPersistentStore
    let context: NSManagedObjectContext

    init() throws {
        DictionaryStore.use(server, at: url)
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        store = try coordinator.addPersistentStore(type: DictionaryStore.storeType, at: url)
        context = coordinator.context()
        context.name = "first"
    }

    /// A book of an author, known to the server only.
    private func seed() {
        server.rows["ada"] = .init(entity: "Author", values: ["name": "Ada", "age": 36, "books": ["notes"]])
        server.rows["notes"] = .init(entity: "Book", values: ["title": "Notes", "author": "ada", "tags": ["t1", "t2"]])
        server.rows["t1"] = .init(entity: "Tag", values: ["label": "one", "books": ["notes"]])
        server.rows["t2"] = .init(entity: "Tag", values: ["label": "two", "books": ["notes"]])
        server.rows["eve"] = .init(entity: "Poet", values: ["name": "Eve", "age": 20, "meter": "iambic"])
    }

    private func ada(_ context: NSManagedObjectContext) throws -> NSManagedObject {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.predicate = NSPredicate(format: "name == %@", "Ada")
        return try #require(try context.fetch(request).first)
    }

    @Test("h.8 a fetch asks the store, with the predicate, the order and the window")
    func fetching() throws {
        seed()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
        #expect(try context.fetch(request).map { $0.text("name") } == ["Eve", "Ada"])
        request.fetchLimit = 1
        #expect(try context.fetch(request).map { $0.text("name") } == ["Eve"])
        request.fetchLimit = 0
        request.predicate = NSPredicate(format: "age > 30")
        #expect(try context.count(for: request) == 1)
        #expect(try context.fetch(request).first?.entity.name == "Author")
    }

    @Test("h.8 IDs, dictionaries and counts are the store's answers")
    func resultTypes() throws {
        seed()
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Poet")
        ids.resultType = .managedObjectIDResultType
        let found = try context.fetch(ids)
        #expect(found.map { $0.uriRepresentation().absoluteString } == ["x-coredata://\(store.identifier!)/Poet/peve"])
        let rows = NSFetchRequest<NSDictionary>(entityName: "Poet")
        rows.resultType = .dictionaryResultType
        #expect(try context.fetch(rows).map { $0["name"] as? String } == ["Eve"])
    }

    @Test("h.8 values are asked for once, by the context that needs them, and shared by others")
    func faulting() throws {
        seed()
        let id = try ada(context).objectID
        server.log = []
        let other = coordinator.context()
        other.name = "second"
        #expect(other.object(with: id).text("name") == "Ada")
        #expect(server.log == [])
        let book = try #require(other.object(with: id).books.first)
        #expect(book.text("title") == "Notes")
        #expect(server.log == ["books of ada", "values notes for second", "author of notes"])
    }

    @Test("h.8 relationships lead to objects, either way, in order")
    func relationships() throws {
        seed()
        let ada = try ada(context)
        let book = try #require(ada.books.first)
        #expect(book.value(forKey: "author") as? NSManagedObject === ada)
        let tags = try #require(book.value(forKey: "tags") as? Set<NSManagedObject>)
        #expect(Set(tags.map { $0.text("label") }) == ["one", "two"])
    }

    @Test("h.8 a save asks for IDs, then for the changes, and the objects are as the store has them")
    func saving() throws {
        let author = context.make("Author", ["name": "Ada", "age": 36])
        let book = context.make("Book", ["title": "Notes"])
        author.setValue(NSOrderedSet(array: [book]), forKey: "books")
        try context.save()
        #expect(server.log.first == "save 2 0 0 0")
        #expect(!author.objectID.isTemporaryID)
        #expect(server.rows["author-1"] != nil || server.rows["author-2"] != nil)
        #expect(!context.hasChanges)
        author.setValue(37, forKey: "age")
        try context.save()
        context.delete(book)
        try context.save()
        #expect(server.log.filter { $0.hasPrefix("save") } == ["save 2 0 0 0", "save 0 1 0 0", "save 0 1 1 0"])
        #expect(server.rows.count == 1)
        let fresh = coordinator.context()
        let again = try self.ada(fresh)
        #expect(again.number("age") == 37)
        #expect(again.books.isEmpty)
    }

    @Test("h.8 a failed save leaves changes and temporary IDs as they were")
    func failing() throws {
        let author = context.make("Author", ["name": "Ada"])
        server.failure = NSError(domain: "Server", code: 503)
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.domain == "Server")
        #expect(author.objectID.isTemporaryID)
        #expect(context.hasChanges)
        server.failure = nil
        try context.save()
        #expect(server.rows.count == 1)
    }

    @Test("h.8 a conflict with another context's save is found by versions, and settled by the merge policy")
    func conflicts() throws {
        seed()
        let mine = try ada(context)
        _ = mine.text("name")
        let other = coordinator.context()
        let theirs = try ada(other)
        theirs.setValue(50, forKey: "age")
        try other.save()
        mine.setValue("Countess", forKey: "name")
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.code == NSManagedObjectMergeError)
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try context.save()
        #expect(server.rows["ada"]?.values["name"] as? String == "Countess")
        #expect(server.rows["ada"]?.values["age"] as? Int == 50)
    }

    @Test("h.8 a conflict that the store reports is settled by the merge policy", arguments: [true, false])
    func reportedConflicts(objectWins: Bool) throws {
        seed()
        server.reportsConflicts = true
        let mine = try ada(context)
        mine.setValue("Countess", forKey: "name")
        server.beforeSave = { [server] in
            server.rows["ada"]?.values["name"] = "Lady"
            server.rows["ada"]?.version = 7
        }
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.code == NSManagedObjectMergeError)
        context.mergePolicy =
            objectWins ? NSMergePolicy.mergeByPropertyObjectTrump : NSMergePolicy.mergeByPropertyStoreTrump
        try context.save()
        #expect(server.rows["ada"]?.values["name"] as? String == (objectWins ? "Countess" : "Lady"))
        #expect(mine.text("name") == (objectWins ? "Countess" : "Lady"))
    }

    @Test("h.8 a fault whose object the server no longer has is inaccessible")
    func missing() throws {
        seed()
        let id = try ada(context).objectID
        let other = coordinator.context()
        server.rows["ada"] = nil
        coordinator.evictRows()
        let error = #expect(throws: NSError.self) { try other.existingObject(with: id) }
        #expect(error?.code == NSManagedObjectReferentialIntegrityError)
        #expect(other.object(with: id).text("name") == nil)
    }

    @Test("h.8 a refreshed object has the old row until rows may be no older than now")
    func refreshing() throws {
        seed()
        let ada = try ada(context)
        server.rows["ada"]?.values["name"] = "Lady"
        server.rows["ada"]?.version = 2
        context.refresh(ada, mergeChanges: false)
        #expect(ada.text("name") == "Ada")
        context.stalenessInterval = 0
        context.refresh(ada, mergeChanges: false)
        #expect(ada.text("name") == "Lady")
    }

    @Test("h.8 IDs come back by their URIs, in another coordinator too, and lead to the same reference objects")
    func uris() throws {
        seed()
        let uri = try ada(context).objectID.uriRepresentation()
        let other = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        let again = try other.addPersistentStore(type: DictionaryStore.storeType, at: url)
        let id = try #require(other.managedObjectID(forURIRepresentation: uri))
        #expect((again as? DictionaryStore)?.referenceObject(for: id) as? String == "ada")
        let context = other.context()
        #expect(try context.existingObject(with: id).text("name") == "Ada")
    }

    @Test("h.8 numbers and odd texts are reference objects too")
    func references() throws {
        let store = try #require(store as? DictionaryStore)
        let tag = try #require(coordinator.managedObjectModel.entitiesByName["Tag"])
        for reference in [NSNumber(value: 7), "a b/c?ü", UUID()] as [Any] {
            let id = store.newObjectID(for: tag, referenceObject: reference)
            #expect(store.newObjectID(for: tag, referenceObject: reference) == id)
            let again = coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation())
            #expect(again == id)
            #expect("\(store.referenceObject(for: id))" == "\(reference)")
        }
    }

    @Test("h.8 the store hears which objects a context has, and which it no longer has")
    func registrations() throws {
        seed()
        do {
            let context = coordinator.context()
            let ada = try ada(context)
            context.processPendingChanges()
            #expect(server.registered.contains("+ada"))
            withExtendedLifetime(ada) {}
        }
        #expect(server.registered.contains("-ada"))
    }

    @Test("h.8 a child context saves through its parent")
    func child() throws {
        seed()
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        let theirs = try ada(child)
        theirs.setValue("Countess", forKey: "name")
        try child.save()
        #expect(server.rows["ada"]?.values["name"] as? String == "Ada")
        try context.save()
        #expect(server.rows["ada"]?.values["name"] as? String == "Countess")
    }

    @Test("h.8 unsaved changes are laid over what the store answers")
    func pendingChanges() throws {
        seed()
        let ada = try ada(context)
        ada.setValue(99, forKey: "age")
        _ = context.make("Author", ["name": "Bob", "age": 60])
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.predicate = NSPredicate(format: "age > 50")
        request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
        #expect(try context.fetch(request).map { $0.text("name") } == ["Bob", "Ada"])
    }

    @Test("h.8 another context merges what was saved")
    func merging() throws {
        seed()
        let other = coordinator.context()
        other.automaticallyMergesChangesFromParent = true
        let theirs = try ada(other)
        try ada(context).setValue("Countess", forKey: "name")
        try context.save()
        other.drain()
        #expect(theirs.text("name") == "Countess")
    }

    @Test("h.8 objects of a store on disk and of a server live in one context, and do not relate to each other")
    func besideAnother() throws {
        seed()
        let memory = try coordinator.addPersistentStore(type: .inMemory, at: URL(fileURLWithPath: "/dev/null"))
        let bob = context.make("Author", ["name": "Bob"])
        context.assign(bob, to: memory)
        try context.save()
        #expect(try context.strings("Author", "name") == ["Ada", "Bob", "Eve"])
        // Only one of the stores gives rows with what it finds.
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.returnsObjectsAsFaults = false
        let fresh = coordinator.context()
        #expect(Set(try fresh.fetch(request).map { $0.text("name") }) == ["Ada", "Bob", "Eve"])
        let book = try #require(try ada(context).books.first)
        book.setValue(bob, forKey: "author")
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.code == NSManagedObjectExternalRelationshipError)
    }

    @Test("h.11 the objects of a server are saved as a store on disk")
    func savingAs() throws {
        seed()
        let directory = try TemporaryDirectory()
        let ada = try ada(context)
        ada.setValue(99, forKey: "age")
        let copy = try coordinator.migratePersistentStore(store, to: directory.file("Copy.sqlite"), type: .sqlite)
        context.drain()
        #expect(coordinator.persistentStores == [copy])
        #expect(ada.objectID.persistentStore === copy)
        #expect(ada.books.map { $0.text("title") } == ["Notes"])
        try context.save()
        let fresh = coordinator.context()
        let again = try self.ada(fresh)
        #expect(again.number("age") == 99)
        #expect(again.books.first?.value(forKey: "author") as? NSManagedObject === again)
        #expect((again.books.first?.value(forKey: "tags") as? NSSet)?.count == 2)
        #expect(try fresh.all("Poet").map { $0.text("meter") } == ["iambic"])
    }

    @Test("h.12 a store with another type in its metadata is refused")
    func wrongType() throws {
        final class Liar: NSIncrementalStore {
            override var type: String { "Liar" }
            override func loadMetadata() throws { metadata = [NSStoreUUIDKey: "x", NSStoreTypeKey: "Other"] }
        }
        NSPersistentStoreCoordinator.registerStoreClass(Liar.self, forStoreType: "Liar")
        let error = #expect(throws: NSError.self) {
            try coordinator.addPersistentStore(ofType: "Liar", configurationName: nil, at: url)
        }
        #expect(error?.code == NSPersistentStoreTypeMismatchError)
        NSPersistentStoreCoordinator.registerStoreClass(nil, forStoreType: "Liar")
        #expect(NSPersistentStoreCoordinator.registeredStoreTypes["Liar"] == nil)
        #expect(NSPersistentStoreCoordinator.registeredStoreTypes[NSSQLiteStoreType] != nil)
        let unknown = #expect(throws: NSError.self) {
            try coordinator.addPersistentStore(ofType: "Liar", configurationName: nil, at: url)
        }
        #expect(unknown?.code == NSPersistentStoreInvalidTypeError)
    }
}
