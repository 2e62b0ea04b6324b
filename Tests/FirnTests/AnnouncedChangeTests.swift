import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Accessors as Core Data's guide writes them: announce, change the primitive value, announce that it is done.
@Suite("Accessors that announce what they change")
struct AnnouncedChangeTests {
    let context: NSManagedObjectContext

    init() throws { context = try Library.inMemory().context() }

    /// One step of an undo manager.
    private func step(_ body: () -> Void) {
        if context.undoManager == nil {
            context.undoManager = UndoManager()
            context.undoManager?.groupsByEvent = false
        }
        context.undoManager?.beginUndoGrouping()
        body()
        context.processPendingChanges()
        context.undoManager?.endUndoGrouping()
    }

    /// A step in which `key` is changed.
    private func change(_ object: NSManagedObject, _ key: String, to value: Any?) {
        step {
            object.willChangeValue(forKey: key)
            object.setPrimitiveValue(value, forKey: key)
            object.didChangeValue(forKey: key)
        }
    }

    @Test("reading by one fires the fault")
    func reading() throws {
        let ada = context.make("Author", ["name": "Ada"])
        try context.save()
        context.refresh(ada, mergeChanges: false)
        #expect(ada.isFault)
        ada.willAccessValue(forKey: "name")
        #expect(!ada.isFault)
        #expect(ada.primitiveValue(forKey: "name") as? String == "Ada")
        ada.didAccessValue(forKey: "name")
        #expect(!context.hasChanges)
    }

    @Test("what one sets is tracked, told and saved, also of a fault")
    func attribute() throws {
        let ada = context.make("Author", ["name": "Ada", "age": 36])
        try context.save()
        context.refresh(ada, mergeChanges: false)
        let told = Recorder(.NSManagedObjectContextObjectsDidChange, context)
        change(ada, "name", to: "Eva")
        #expect(told.notifications.map { $0.objects(NSUpdatedObjectsKey) } == [[ada]])
        #expect(ada.changedValues() as? [String: String] == ["name": "Eva"])
        #expect(ada.committedValues(forKeys: ["name"]) as? [String: String] == ["name": "Ada"])
        try context.save()
        let reader = try #require(context.persistentStoreCoordinator).context()
        #expect(try reader.all("Author").map { "\($0.text("name") ?? "") \($0.number("age") ?? 0)" } == ["Eva 36"])
    }

    @Test("what one sets is undone and done again")
    func undo() throws {
        let ada = context.make("Author", ["name": "Ada"])
        try context.save()
        change(ada, "name", to: "Eva")
        context.undo()
        #expect(ada.text("name") == "Ada")
        context.redo()
        #expect(ada.text("name") == "Eva")
    }

    @Test("a relationship that one sets is on both sides, and undone on both")
    func destination() throws {
        let (ada, eva) = (context.make("Author", ["name": "Ada"]), context.make("Author", ["name": "Eva"]))
        let book = context.make("Book", ["title": "Notes", "author": ada])
        try context.save()
        change(book, "author", to: eva)
        #expect(ada.books.isEmpty)
        #expect(eva.books == [book])
        context.undo()
        #expect(book.value(forKey: "author") as? NSManagedObject === ada)
        #expect(ada.books == [book])
        #expect(eva.books.isEmpty)
        context.redo()
        #expect(eva.books == [book])
    }

    @Test("members that one adds are on both sides, and undone on both")
    func members() throws {
        let (tag, book) = (context.make("Tag", ["label": "t"]), context.make("Book", ["title": "Notes"]))
        try context.save()
        step {
            tag.willChangeValue(forKey: "books", withSetMutation: .union, using: [book])
            tag.setPrimitiveValue(NSSet(object: book), forKey: "books")
            tag.didChangeValue(forKey: "books", withSetMutation: .union, using: [book])
        }
        #expect(book.value(forKey: "tags") as? Set<NSManagedObject> == [tag])
        context.undo()
        #expect((book.value(forKey: "tags") as? NSSet)?.count == 0)
        #expect((tag.value(forKey: "books") as? NSSet)?.count == 0)
    }
}
