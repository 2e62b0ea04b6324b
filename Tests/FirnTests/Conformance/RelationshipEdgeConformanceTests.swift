import Firn
import FirnModel
import Foundation
import StoreSupport
import Testing

/// Orders and destinations that only one side changes.
@Suite("Conformance (m): relationships at the edges")
struct RelationshipEdgeConformanceTests {
    private static func names(_ object: NSManagedObject, _ key: String) -> [String] {
        ((object.value(forKey: key) as? NSOrderedSet)?.array as? [NSManagedObject] ?? []).compactMap { $0.text("name") }
    }

    @Test("m.42 of a relationship that is ordered on both sides, each side's order is saved", arguments: [true, false])
    func bothOrdered(isFirst: Bool) throws {
        let coordinator = try Library.inMemory(try ModelText.model(
            """
            Album: name String, songs ->> Song.albums ordered
            Song: name String, albums ->> Album.songs ordered
            """))
        let context = coordinator.context()
        let albums = ["a", "b", "c"].map { context.make("Album", ["name": $0]) }
        let songs = ["x", "y", "z"].map { context.make("Song", ["name": $0]) }
        for album in albums { album.setValue(NSOrderedSet(array: songs), forKey: "songs") }
        try context.save()
        let (owner, key) = isFirst ? (albums[0], "songs") : (songs[0], "albums")
        let members = (owner.value(forKey: key) as? NSOrderedSet)?.array ?? []
        owner.setValue(NSOrderedSet(array: members.reversed()), forKey: key)
        try context.save()
        let reader = coordinator.context()
        let entity = isFirst ? "Album" : "Song"
        let read = try reader.all(entity, sortedBy: "name")
        #expect(Self.names(read[0], key) == (isFirst ? ["z", "y", "x"] : ["c", "b", "a"]))
    }

    @Test("m.42 a member that leaves an ordered relationship and comes back is the last one, saved too")
    func comingBack() throws {
        let coordinator = try Library.inMemory()
        let context = coordinator.context()
        let ada = context.make("Author", ["name": "Ada"])
        let books = ["a", "b"].map { context.make("Book", ["title": $0]) }
        ada.setValue(NSOrderedSet(array: books), forKey: "books")
        try context.save()
        #expect(ada.books == books)
        books[0].setValue(nil, forKey: "author")
        books[0].setValue(ada, forKey: "author")
        #expect(ada.books == [books[1], books[0]])
        try context.save()
        let reader = coordinator.context()
        let read = try #require(try reader.all("Author").first)
        #expect(read.books.map { $0.text("title") } == ["b", "a"])
    }

    @Test("m.42 a child that sets a to-one to what it was leaves what its parent set")
    func unchangedDestination() throws {
        let coordinator = try Library.inMemory()
        let parent = coordinator.context()
        let (ada, eve) = (parent.make("Author", ["name": "Ada"]), parent.make("Author", ["name": "Eve"]))
        let book = parent.make("Book", ["title": "Notes", "author": ada])
        try parent.save()
        let child = parent.makeChild()
        let mine = try child.existingObject(with: book.objectID)
        mine.setValue(mine.value(forKey: "author"), forKey: "author")
        mine.setValue("Letters", forKey: "title")
        book.setValue(eve, forKey: "author")
        try child.save()
        #expect(book.text("title") == "Letters")
        #expect(book.value(forKey: "author") as? NSManagedObject === eve)
    }

    @Test("m.42 a child that sets a value to what it was leaves what its parent set")
    func unchangedValue() throws {
        let coordinator = try Library.inMemory()
        let parent = coordinator.context()
        let book = parent.make("Book", ["title": "Notes", "pages": 1])
        try parent.save()
        let child = parent.makeChild()
        let mine = try child.existingObject(with: book.objectID)
        mine.setValue(2, forKey: "pages")
        mine.setValue(1, forKey: "pages")
        mine.setValue("Letters", forKey: "title")
        book.setValue(3, forKey: "pages")
        try child.save()
        #expect(book.text("title") == "Letters")
        #expect(book.number("pages") == 3)
    }

    @Test("m.42 a value that was set to what it was shows what another save made of it, in the context and the store")
    func refreshedValue() throws {
        let coordinator = try Library.inMemory()
        let (context, other) = (coordinator.context(), coordinator.context())
        let book = context.make("Book", ["title": "Notes", "pages": 1])
        try context.save()
        book.setValue(2, forKey: "pages")
        book.setValue(1, forKey: "pages")
        try other.existingObject(with: book.objectID).setValue(3, forKey: "pages")
        try other.save()
        context.refresh(book, mergeChanges: true)
        #expect(book.number("pages") == 3)
        try context.save()
        let reader = coordinator.context()
        #expect(try reader.existingObject(with: book.objectID).number("pages") == 3)
    }

    @Test("m.42 a value that was set to what it was is no overlap")
    func notOverlapping() throws {
        let coordinator = try Library.inMemory()
        let (context, other) = (coordinator.context(), coordinator.context())
        context.mergePolicy = RebaseMergePolicy()
        let book = context.make("Book", ["title": "Notes", "pages": 1])
        try context.save()
        book.setValue(2, forKey: "pages")
        book.setValue(1, forKey: "pages")
        book.setValue("Letters", forKey: "title")
        try other.existingObject(with: book.objectID).setValue(3, forKey: "pages")
        try other.save()
        try context.save()
        #expect(book.number("pages") == 3)
        #expect(book.text("title") == "Letters")
    }

    @Test("m.42 an object that is deleted frees its unique value for a new one of the same save")
    func freedValue() throws {
        let coordinator = try Library.inMemory(ModelSketch.correspondence())
        let context = coordinator.context()
        let old = context.make("Person", ["email": "ada@a", "name": "old"])
        try context.save()
        context.delete(old)
        _ = context.make("Person", ["email": "ada@a", "name": "new"])
        try context.save()
        #expect(try coordinator.context().strings("Person", "name") == ["new"])
    }

    @Test("m.42 what is inserted and deleted in one event does not come back by an undo")
    func insertedAndDeleted() throws {
        let context = try Library.inMemory().context()
        context.undoManager = UndoManager()
        context.undoManager?.groupsByEvent = false
        context.undoManager?.beginUndoGrouping()
        context.delete(context.make("Author", ["name": "Ada"]))
        context.processPendingChanges()
        context.undoManager?.endUndoGrouping()
        context.undo()
        #expect(context.insertedObjects.isEmpty)
        #expect(try context.all("Author").isEmpty)
    }
}
