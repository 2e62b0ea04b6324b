import Firn
import FirnLog
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("A store on disk")
struct StoreTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func save(_ names: [String], _ coordinator: NSPersistentStoreCoordinator) throws {
        for name in names {
            let context = coordinator.context()
            _ = context.make("Author", ["name": name])
            try context.save()
        }
    }

    @Test("what was saved is there after reopening")
    func reopening() throws {
        try save(["Ada", "Bob"], Library.onDisk(directory))
        #expect(try Library.onDisk(directory).context().strings("Author", "name") == ["Ada", "Bob"])
    }

    @Test(
        "The URL of a store in memory is a label: nothing is opened there, and nothing is destroyed",
        arguments: ["https://example.org/library", "http://example.org", "postgresql://db/library", "file"])
    func label(_ text: String) throws {
        try save(["Ada"], Library.onDisk(directory))
        let url = try #require(text == "file" ? directory.file("Library.sqlite") : URL(string: text))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        let store = try coordinator.addPersistentStore(type: .inMemory, at: url)
        try save(["Bob"], coordinator)
        #expect(store.url == url)
        #expect(try coordinator.context().strings("Author", "name") == ["Bob"])
        try coordinator.destroyPersistentStore(at: url, type: .inMemory)
        #expect(coordinator.persistentStores.isEmpty)
        #expect(try Library.onDisk(directory).context().strings("Author", "name") == ["Ada"])
    }

    @Test("the tables can be thrown away")
    func tablesAreDisposable() throws {
        try save(["Ada", "Bob"], Library.onDisk(directory))
        try directory.file("Library.sqlite").discardTables()
        let coordinator = try Library.onDisk(directory)
        #expect(try coordinator.context().strings("Author", "name") == ["Ada", "Bob"])
        try save(["Cid"], coordinator)
        #expect(try coordinator.context().all("Author").count == 3)
    }

    @Test("a key is not given again after its object is deleted and the tables are rebuilt")
    func keysAreForEver() throws {
        var first: URL?
        do {
            let context = try Library.onDisk(directory).context()
            let ada = context.make("Author", ["name": "Ada"])
            try context.save()
            first = ada.objectID.uriRepresentation()
            context.delete(ada)
            try context.save()
        }
        try directory.file("Library.sqlite").discardTables()
        let context = try Library.onDisk(directory).context()
        let bob = context.make("Author", ["name": "Bob"])
        try context.save()
        #expect(bob.objectID.uriRepresentation() != first)
    }

    @Test("two coordinators on one store see each other's saves, and conflicts between them")
    func twoCoordinators() throws {
        let one = try Library.onDisk(directory)
        let two = try Library.onDisk(directory)
        let context = one.context()
        let ada = context.make("Author", ["name": "Ada"])
        try context.save()
        let other = two.context()
        let theirs = try #require(try other.all("Author").first)
        #expect(other.registeredObject(for: ada.objectID) === theirs)
        _ = theirs.value(forKey: "name")
        ada.setValue("Eve", forKey: "name")
        try context.save()
        theirs.setValue("Ida", forKey: "name")
        let error = #expect(throws: NSError.self) { try other.save() }
        #expect(error?.code == NSManagedObjectMergeError)
        other.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try other.save()
        #expect(try one.context().strings("Author", "name") == ["Ida"])
    }

    @Test("a save elsewhere posts a remote change and reaches contexts that follow by themselves")
    func remoteChange() async throws {
        let one = try Library.onDisk(directory)
        let two = try Library.onDisk(
            directory, options: [NSPersistentStoreRemoteChangeNotificationPostOptionKey: NSNumber(value: true)])
        let context = one.context()
        let ada = context.make("Author", ["name": "Ada"])
        try context.save()
        let follower = two.context()
        follower.retainsRegisteredObjects = true
        follower.automaticallyMergesChangesFromParent = true
        let uri = ada.objectID.uriRepresentation()
        let mine = try await follower.perform {
            let id = try #require(two.managedObjectID(forURIRepresentation: uri))
            let object = try follower.existingObject(with: id)
            _ = object.value(forKey: "name")
            return object.objectID
        }
        let changes = AsyncStream<Void> { continuation in
            let token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextObjectsDidChange, object: follower, queue: nil
            ) { _ in continuation.yield() }
            nonisolated(unsafe) let kept = token
            continuation.onTermination = { _ in NotificationCenter.default.removeObserver(kept) }
        }
        let remote = RemoteChanges(two)
        ada.setValue("Eve", forKey: "name")
        try context.save()
        // The first change may still be the merge of the insertion.
        var name: String?
        for await _ in changes {
            name = await follower.perform { follower.object(with: mine).value(forKey: "name") as? String }
            if name == "Eve" { break }
        }
        #expect(name == "Eve")
        let posted = try #require(await remote.next())
        #expect(posted.store == two.persistentStores[0].identifier)
        #expect(posted.token != nil)
    }

    @Test("a context as of a record shows that state, relationships and all")
    func asOf() throws {
        let coordinator = try Library.onDisk(directory)
        let context = coordinator.context()
        let ada = context.make("Author", ["name": "Ada"])
        let book = context.make("Book", ["title": "Notes"])
        try context.save()
        let before = try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
        book.setValue(ada, forKey: "author")
        ada.setValue("Eve", forKey: "name")
        try context.save()
        let after = try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
        context.delete(ada)
        try context.save()
        let past = try coordinator.newContext(asOf: .token(before))
        #expect(try past.strings("Author", "name") == ["Ada"])
        #expect((try past.all("Author").first?.value(forKey: "books") as? NSOrderedSet)?.count == 0)
        let later = try coordinator.newContext(asOf: .token(after))
        let eve = try #require(try later.all("Author").first)
        #expect(eve.value(forKey: "name") as? String == "Eve")
        #expect((eve.value(forKey: "books") as? NSOrderedSet)?.count == 1)
        #expect(eve.objectID.uriRepresentation() == ada.objectID.uriRepresentation())
        #expect(try coordinator.context().all("Author").isEmpty)
        #expect(throws: NSError.self) {
            eve.setValue("x", forKey: "name")
            try later.save()
        }
    }

    @Test("a foreign file in the place of the tables is refused with what to do, and not touched")
    func foreignTables() throws {
        try save(["Ada"], Library.onDisk(directory))
        let url = directory.file("Library.sqlite")
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(at: directory.file("Library.sqlite" + suffix))
        }
        try Data("hello".utf8).write(to: url)
        let error = #expect(throws: NSError.self) { try Library.onDisk(self.directory) }
        #expect(error?.code == NSPersistentStoreOpenError)
        #expect(error?.localizedDescription.contains("firn rebuild \(url.path)") == true)
        #expect(try Data(contentsOf: url) == Data("hello".utf8))
    }

    @Test("a change set names the objects that a merge policy set to what the store had")
    func refreshedObjects() throws {
        let coordinator = try Library.onDisk(directory)
        let context = coordinator.context()
        let ada = context.make("Author", ["name": "Ada"])
        try context.save()
        let other = coordinator.context()
        try other.existingObject(with: ada.objectID).setValue("Eve", forKey: "name")
        try other.save()
        ada.setValue("Ida", forKey: "name")
        _ = context.make("Author", ["name": "New"])
        context.mergePolicy = NSMergePolicy.rollback
        try context.save()
        let log = try SegmentLog.open(directory: directory.path + "/Library.sqlite-log", forWriting: false)
        guard case .changes(let changes) = try log.record(at: log.head).body else {
            Issue.record("the last record is no change set")
            return
        }
        #expect(Set(changes.groups.map(\.operation)) == [.insert, .refresh])
        withExtendedLifetime(other) {}
    }

    @Test("a change set of one small object takes under 200 bytes of the log, all in")
    func smallChangeSets() throws {
        let coordinator = try Library.onDisk(directory)
        let context = coordinator.context()
        context.transactionAuthor = "Ada Lovelace <ada@example.org>"
        context.name = "import"
        for index in 0..<100 {
            let author = context.make("Author", ["name": "Author \(index)", "age": 20 + index])
            author.setValue(Date(timeIntervalSinceReferenceDate: Double(index) * 86_400), forKey: "born")
            try context.save()
        }
        let log = try SegmentLog.open(directory: directory.path + "/Library.sqlite-log", forWriting: false)
        let reader = try log.records(after: 1)
        var size = 0
        while let frame = try reader.nextFrameInfo() { size += frame.frameSize }
        #expect(size / 100 < 200, "\(size / 100) bytes on average")
    }

    @Test(
        "what is no store of ours is refused with its path, and not touched",
        arguments: ["folder", "text", "database"])
    func foreign(_ kind: String) throws {
        let url = directory.file("Library.sqlite")
        switch kind {
        case "folder": try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        case "text": try Data("hello".utf8).write(to: url)
        default: try Data("SQLite format 3\0".utf8).write(to: url)
        }
        let before = try? Data(contentsOf: url)
        let error = #expect(throws: NSError.self) { try Library.onDisk(self.directory) }
        #expect(error?.code == NSPersistentStoreOpenError)
        #expect(error?.localizedDescription.contains("Library.sqlite") == true)
        #expect((try? Data(contentsOf: url)) == before)
        #expect(!FileManager.default.fileExists(atPath: url.path + "-log"))
    }
}
