import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Relationships")
struct RelationshipTests {
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext
    let reader: NSManagedObjectContext

    init() throws {
        coordinator = try Library.inMemory()
        context = coordinator.context()
        reader = coordinator.context()
    }

    private func titles(_ author: NSManagedObject) -> [String] {
        (author.value(forKey: "books") as? NSOrderedSet)?.compactMap {
            ($0 as? NSManagedObject)?.value(forKey: "title") as? String
        } ?? []
    }

    private func fresh(_ object: NSManagedObject) throws -> NSManagedObject {
        reader.reset()
        return try reader.existingObject(with: object.objectID)
    }

    @Test("setting one side sets the other")
    func inverses() throws {
        let ada = context.make("Author", ["name": "Ada"])
        let eve = context.make("Author", ["name": "Eve"])
        let book = context.make("Book", ["title": "Notes"])
        book.setValue(ada, forKey: "author")
        #expect(titles(ada) == ["Notes"])
        eve.setValue(NSOrderedSet(array: [book]), forKey: "books")
        #expect(book.value(forKey: "author") as? NSManagedObject === eve)
        #expect(titles(ada) == [])
        try context.save()
        book.setValue(nil, forKey: "author")
        #expect(titles(eve) == [])
        try context.save()
        #expect(titles(try fresh(eve)) == [])
    }

    @Test("an ordered relationship keeps its order through saves, appends and moves")
    func ordered() throws {
        let ada = context.make("Author", ["name": "Ada"])
        let books = (0..<5).map { context.make("Book", ["title": "\($0)"]) }
        ada.setValue(NSOrderedSet(array: [books[3], books[1], books[4]]), forKey: "books")
        try context.save()
        #expect(titles(try fresh(ada)) == ["3", "1", "4"])
        books[0].setValue(ada, forKey: "author")
        try context.save()
        #expect(titles(try fresh(ada)) == ["3", "1", "4", "0"])
        ada.setValue(NSOrderedSet(array: [books[0], books[3], books[2], books[4]]), forKey: "books")
        try context.save()
        #expect(titles(try fresh(ada)) == ["0", "3", "2", "4"])
        #expect(books[1].value(forKey: "author") == nil)
    }

    @Test("appending to an unread relationship does not read it")
    func appendsWithoutReading() throws {
        let ada = context.make("Author", ["name": "Ada"])
        context.make("Book", ["title": "a"]).setValue(ada, forKey: "author")
        try context.save()
        let other = coordinator.context()
        let mine = try other.existingObject(with: ada.objectID)
        other.make("Book", ["title": "b"]).setValue(mine, forKey: "author")
        try other.save()
        #expect(mine.hasFault(forRelationshipNamed: "books"))
        #expect(titles(mine) == ["a", "b"])
    }

    @Test("many to many is kept from both sides")
    func manyToMany() throws {
        let notes = context.make("Book", ["title": "Notes"])
        let poems = context.make("Book", ["title": "Poems"])
        let red = context.make("Tag", ["label": "red"])
        let blue = context.make("Tag", ["label": "blue"])
        notes.setValue(Set([red, blue]), forKey: "tags")
        blue.setValue(Set([notes, poems]), forKey: "books")
        try context.save()
        let freshPoems = try fresh(poems)
        let tags = freshPoems.value(forKey: "tags") as? Set<NSManagedObject> ?? []
        #expect(Set(tags.compactMap { $0.value(forKey: "label") as? String }) == ["blue"])
        notes.setValue(Set([red]), forKey: "tags")
        try context.save()
        let left = try fresh(blue).value(forKey: "books") as? Set<NSManagedObject> ?? []
        #expect(Set(left.compactMap { $0.value(forKey: "title") as? String }) == ["Poems"])
    }

    @Test("cascade deletes, nullify lets go")
    func deleteRules() throws {
        let ada = context.make("Author", ["name": "Ada"])
        let book = context.make("Book", ["title": "Notes"])
        let tag = context.make("Tag", ["label": "red"])
        book.setValue(ada, forKey: "author")
        book.setValue(Set([tag]), forKey: "tags")
        try context.save()
        context.delete(ada)
        #expect(!book.isDeleted)
        context.processPendingChanges()
        #expect(book.isDeleted)
        try context.save()
        #expect(try context.all("Book").isEmpty)
        #expect((try fresh(tag).value(forKey: "books") as? NSSet)?.count == 0)
    }
}
