import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Who an object is. Line numbers are those of section (h) of the behaviour checklist.
@Suite("Conformance (h): object IDs")
struct ObjectIDConformanceTests {
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext
    let store: NSPersistentStore

    init() throws {
        coordinator = try Library.inMemory()
        context = coordinator.context()
        store = try #require(coordinator.persistentStores.first)
    }

    /// [CDP]
    @Test("h.3 a new object's ID is temporary until its root context is saved")
    func temporaryUntilSaved() throws {
        let ada = context.make("Author")
        let before = ada.objectID
        #expect(before.isTemporaryID)
        #expect(before.persistentStore == nil)
        try context.save()
        #expect(!ada.objectID.isTemporaryID)
        #expect(ada.objectID.persistentStore === store)
        #expect(ada.objectID != before)
    }

    /// [CDP]
    @Test("h.3 a child's new object has its temporary ID after the child's save, and its parent's object has it too")
    func temporaryInChild() throws {
        let child = context.makeChild()
        let mine = child.make("Author", ["name": "Ada"])
        let before = mine.objectID
        try child.save()
        #expect(mine.objectID == before)
        #expect(context.insertedObjects.map(\.objectID) == [before])
        try context.save()
        #expect(mine.objectID.isTemporaryID)
    }

    /// [H][AD]
    @Test("h.4 obtainPermanentIDs gives new objects the IDs they will be saved under, and leaves them new")
    func obtain() throws {
        let ada = context.make("Author")
        try context.obtainPermanentIDs(for: [ada])
        let id = ada.objectID
        #expect(!id.isTemporaryID)
        #expect(id.persistentStore === store)
        #expect(ada.isInserted)
        #expect(context.registeredObject(for: id) === ada)
        try context.save()
        #expect(ada.objectID == id)
        #expect(try coordinator.context().existingObject(with: id).objectID == id)
    }

    /// [H]
    @Test("h.4 obtainPermanentIDs leaves permanent IDs as they are")
    func obtainTwice() throws {
        let (ada, bob) = (context.make("Author"), context.make("Author"))
        try context.obtainPermanentIDs(for: [ada])
        let id = ada.objectID
        try context.obtainPermanentIDs(for: [ada, bob])
        #expect(ada.objectID === id)
        #expect(!bob.objectID.isTemporaryID)
        #expect(ada.objectID != bob.objectID)
    }

    /// An ID that was given is not given again, even if its object is never saved. [AD]
    @Test("h.4 a permanent ID that was obtained and not used is not given again")
    func obtainedAndDropped() throws {
        let ada = context.make("Author")
        try context.obtainPermanentIDs(for: [ada])
        let id = ada.objectID
        context.reset()
        let bob = context.make("Author")
        try context.save()
        #expect(bob.objectID != id)
    }

    /// [H]
    @Test("h.4 obtainPermanentIDs and save use the store that an object was assigned to")
    func assigned() throws {
        let second = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        let (ada, bob, eve) = (context.make("Author"), context.make("Author"), context.make("Author"))
        context.assign(ada, to: second)
        context.assign(bob, to: second)
        try context.obtainPermanentIDs(for: [ada, eve])
        #expect(ada.objectID.persistentStore === second)
        #expect(eve.objectID.persistentStore === store)
        try context.save()
        #expect(bob.objectID.persistentStore === second)
    }

    /// The parent has to register the object under the ID that its child got. [K]
    @Test("h.4 a child's object keeps the permanent ID that the child obtained, up to the store")
    func obtainInChild() throws {
        let child = context.makeChild()
        let mine = child.make("Author", ["name": "Ada"])
        try child.obtainPermanentIDs(for: [mine])
        let id = mine.objectID
        try child.save()
        #expect(context.insertedObjects.map(\.objectID) == [id])
        try context.save()
        #expect(mine.objectID == id)
        let stored = coordinator.context()
        defer { withExtendedLifetime(stored) {} }
        #expect(try stored.existingObject(with: id).value(forKey: "name") as? String == "Ada")
    }

    /// Else the object would be two. [K]
    @Test("h.4 a child's object that is saved into the parent obtains the ID that the parent's object obtains")
    func obtainAfterChildSave() throws {
        let child = context.makeChild()
        let mine = child.make("Author", ["name": "Ada"])
        try child.save()
        try child.obtainPermanentIDs(for: [mine])
        #expect(!mine.objectID.isTemporaryID)
        #expect(context.insertedObjects.map(\.objectID) == [mine.objectID])
        try context.save()
        #expect(try coordinator.context().all("Author").count == 1)
    }

    /// [FCD]
    @Test("h.5 a permanent ID's URI has the store's UUID, the entity and the key")
    func permanentURI() throws {
        let poet = context.make("Poet")
        try context.save()
        let uri = poet.objectID.uriRepresentation()
        let identifier = try #require(store.identifier)
        #expect(uri.absoluteString.hasPrefix("x-coredata://\(identifier)/Poet/p"))
        #expect(Int(uri.lastPathComponent.dropFirst()) != nil)
        #expect(coordinator.managedObjectID(forURIRepresentation: uri) == poet.objectID)
    }

    /// [K]
    @Test("h.5 a temporary ID's URI has the entity and a UUID")
    func temporaryURI() {
        let uri = context.make("Author").objectID.uriRepresentation()
        #expect(uri.scheme == "x-coredata")
        #expect(uri.pathComponents.dropLast().last == "Author")
        #expect(uri.lastPathComponent.hasPrefix("t"))
        #expect(UUID(uuidString: String(uri.lastPathComponent.dropFirst())) != nil)
    }

    /// [H]
    @Test(
        "h.5 a URI of another store, another entity or another form is no ID",
        arguments: [
            "x-coredata://00000000-0000-0000-0000-000000000000/Author/p1", "x-coredata://STORE/Painter/p1",
            "x-coredata://STORE/Author/q1", "x-coredata://STORE/Author", "https://STORE/Author/p1",
        ])
    func foreignURI(_ text: String) throws {
        let identifier = try #require(store.identifier)
        let uri = try #require(URL(string: text.replacingOccurrences(of: "STORE", with: identifier)))
        #expect(coordinator.managedObjectID(forURIRepresentation: uri) == nil)
    }

    /// [K]
    @Test("h.6 a set of objects finds them after they got their permanent IDs")
    func hashOfObjects() throws {
        let objects = (0..<100).map { _ in context.make("Author") }
        let set = Set(objects)
        let plain = NSSet(array: objects)
        try context.save()
        #expect(objects.allSatisfy(set.contains))
        #expect(objects.allSatisfy(plain.contains))
    }

    /// [K]
    @Test("h.6 IDs of one object from two contexts are equal, with equal hashes")
    func equalIDs() throws {
        let ada = context.make("Author")
        try context.save()
        let other = coordinator.context()
        let theirs = try #require(try other.all("Author").first)
        #expect(theirs.objectID == ada.objectID)
        #expect(theirs.objectID.hash == ada.objectID.hash)
        let uri = ada.objectID.uriRepresentation()
        #expect(coordinator.managedObjectID(forURIRepresentation: uri)?.hash == ada.objectID.hash)
    }

    /// [H]
    @Test("h.7 a save of a relationship that leaves its store fails, and says which", arguments: [true, false])
    func crossStore(isToMany: Bool) throws {
        let second = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        let (book, related) = (context.make("Book"), context.make(isToMany ? "Tag" : "Author"))
        context.assign(book, to: store)
        context.assign(related, to: second)
        if isToMany {
            book.setValue(NSSet(object: related), forKey: "tags")
        } else {
            book.setValue(related, forKey: "author")
        }
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.domain == NSCocoaErrorDomain)
        #expect(error?.code == NSManagedObjectExternalRelationshipError)
        context.assign(related, to: store)
        try context.save()
        #expect(!context.hasChanges)
    }
}
