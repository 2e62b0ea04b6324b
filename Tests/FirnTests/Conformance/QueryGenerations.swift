import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Section (d): contexts that read one state of their stores.
@Suite("Conformance (d): query generations")
struct QueryGenerationConformanceTests {
    let coordinator: NSPersistentStoreCoordinator
    let writer: NSManagedObjectContext
    let reader: NSManagedObjectContext
    let ada: NSManagedObject

    init() throws {
        coordinator = try Library.inMemory()
        writer = coordinator.context()
        reader = coordinator.context()
        ada = writer.make("Author", ["name": "Ada"])
        try writer.save()
    }

    private func rename(_ name: String) throws {
        ada.setValue(name, forKey: "name")
        try writer.save()
    }

    @Test("d.20 pinned to current, a context sees the state at its first read until it is unpinned")
    func current() throws {
        try reader.setQueryGenerationFrom(.current)
        try rename("Before the first read")
        #expect(try reader.strings("Author", "name") == ["Before the first read"])
        try rename("After it")
        _ = writer.make("Author", ["name": "Eva"])
        try writer.save()
        reader.refreshAllObjects()
        #expect(try reader.strings("Author", "name") == ["Before the first read"])
        #expect(try reader.count(for: NSFetchRequest<NSManagedObject>(entityName: "Author")) == 1)
        try reader.setQueryGenerationFrom(nil)
        reader.refreshAllObjects()
        #expect(try reader.strings("Author", "name") == ["After it", "Eva"])
        #expect(reader.queryGenerationToken == nil)
    }

    @Test("d.20 relationships are read from the generation too")
    func relationships() throws {
        let book = writer.make("Book", ["title": "Notes"])
        book.setValue(ada, forKey: "author")
        try writer.save()
        try reader.setQueryGenerationFrom(.current)
        let mine = try reader.existingObject(with: ada.objectID)
        writer.make("Book", ["title": "More notes"]).setValue(ada, forKey: "author")
        writer.delete(book)
        try writer.save()
        #expect(mine.objectIDs(forRelationshipNamed: "books") == [book.objectID])
        #expect(try reader.existingObject(with: book.objectID).text("title") == "Notes")
    }

    @Test("d.20 a context can be pinned to the generation of another one")
    func token() throws {
        try reader.setQueryGenerationFrom(.current)
        _ = try reader.all("Author")
        let token = try #require(reader.queryGenerationToken)
        try rename("Later")
        let third = coordinator.context()
        try third.setQueryGenerationFrom(token)
        #expect(try third.strings("Author", "name") == ["Ada"])
        #expect(third.queryGenerationToken == token)
    }

    @Test("d.20 a context's own save takes it to the generation of that save")
    func advancedBySave() throws {
        try reader.setQueryGenerationFrom(.current)
        _ = try reader.all("Author")
        try rename("Before the save")
        _ = reader.make("Tag", ["label": "new"])
        try reader.save()
        try rename("After the save")
        reader.refreshAllObjects()
        #expect(try reader.strings("Author", "name") == ["Before the save"])
        #expect(try reader.strings("Tag", "label") == ["new"])
    }

    @Test("d.20 a merge takes a context to where it shows what was merged")
    func advancedByMerge() throws {
        try reader.setQueryGenerationFrom(.current)
        let mine = try reader.existingObject(with: ada.objectID)
        let watch = Watch(.NSManagedObjectContextDidSave, writer) { [reader] in
            reader.mergeChanges(fromContextDidSave: $0)
        }
        try rename("Merged")
        #expect(mine.text("name") == "Merged")
        withExtendedLifetime(watch) {}
    }

    @Test("d.20 an edit of an object that was saved meanwhile is a conflict, as always")
    func conflict() throws {
        try reader.setQueryGenerationFrom(.current)
        let mine = try reader.existingObject(with: ada.objectID)
        try rename("Theirs")
        mine.setValue("Mine", forKey: "name")
        #expect { try reader.save() } throws: { ($0 as NSError).code == CocoaError.Code.managedObjectMerge.rawValue }
        reader.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try reader.save()
        #expect(mine.text("name") == "Mine")
    }

    @Test("a deletion that wins over a later save reaches what that save related to the object")
    func deletion() throws {
        try reader.setQueryGenerationFrom(.current)
        let mine = try reader.existingObject(with: ada.objectID)
        writer.make("Book", ["title": "Notes"]).setValue(ada, forKey: "author")
        try writer.save()
        reader.delete(mine)
        reader.mergePolicy = NSMergePolicy.overwrite
        try reader.save()
        #expect(try coordinator.context().all("Book").isEmpty)
    }

    @Test("d.20 a child context must not be pinned, and reads its parent's generation")
    func child() throws {
        let child = reader.makeChild()
        #expect(throws: (any Error).self) { try child.setQueryGenerationFrom(.current) }
        try reader.setQueryGenerationFrom(.current)
        _ = try reader.all("Author")
        try rename("Later")
        #expect(try child.strings("Author", "name") == ["Ada"])
        #expect(child.queryGenerationToken == reader.queryGenerationToken)
    }

    @Test("d.20 a token of another store is refused")
    func foreignToken() throws {
        let other = try Library.inMemory().context()
        try other.setQueryGenerationFrom(.current)
        _ = try other.all("Author")
        let token = try #require(other.queryGenerationToken)
        #expect(throws: (any Error).self) { try reader.setQueryGenerationFrom(token) }
        #expect(reader.queryGenerationToken == nil)
    }

    @Test("d.20 a token survives being archived")
    func archived() throws {
        try reader.setQueryGenerationFrom(.current)
        _ = try reader.all("Author")
        let token = try #require(reader.queryGenerationToken)
        let data = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
        #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSQueryGenerationToken.self, from: data) == token)
    }

    @Test("d.20 a store on disk keeps a generation readable across saves of another coordinator")
    func onDisk() throws {
        let directory = try TemporaryDirectory()
        let context = try Library.onDisk(directory).context()
        let author = context.make("Author", ["name": "Ada"])
        try context.save()
        try context.setQueryGenerationFrom(.current)
        _ = try context.all("Author")
        let elsewhere = try Library.onDisk(directory).context()
        try #require(try elsewhere.all("Author").first).setValue("Eva", forKey: "name")
        try elsewhere.save()
        context.refresh(author, mergeChanges: false)
        #expect(author.text("name") == "Ada")
    }

    /// [H] The common pair of `current` and merging by itself works; staying at one generation does not go with it.
    @Test("a.16 a context that merges by itself may be pinned to current, but not to another generation")
    func following() throws {
        try reader.setQueryGenerationFrom(.current)
        _ = try reader.all("Author")
        let token = try #require(reader.queryGenerationToken)
        reader.automaticallyMergesChangesFromParent = true
        let mine = try reader.existingObject(with: ada.objectID)
        try rename("Followed")
        reader.drain()
        #expect(mine.text("name") == "Followed")
        #expect(throws: (any Error).self) { try reader.setQueryGenerationFrom(token) }
    }

    @Test("a.16 turning on merging in a context that is pinned to a generation stops the program")
    func followingPinned() async {
        await #expect(processExitsWith: .failure) {
            let coordinator = try Library.inMemory()
            let first = coordinator.context()
            try first.setQueryGenerationFrom(.current)
            _ = try first.all("Author")
            let second = coordinator.context()
            try second.setQueryGenerationFrom(first.queryGenerationToken)
            second.automaticallyMergesChangesFromParent = true
        }
    }
}
