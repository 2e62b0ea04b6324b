import Firn
import FirnModel
import Foundation
import StoreSupport
import Testing

/// Objects before their first save, after their context, and of models that no coordinator uses.
@Suite("Conformance (m): the life of objects")
struct ObjectLifeConformanceTests {
    private let coordinator: NSPersistentStoreCoordinator
    private let context: NSManagedObjectContext

    init() throws {
        coordinator = try Library.inMemory()
        context = coordinator.context()
    }

    @Test("m.14 the entity of a class that no model has is without a name")
    func unknownClass() {
        final class Unmodeled: NSManagedObject {}
        #expect(Unmodeled.entity().name == nil)
    }

    @Test("m.14 an object of a model that no coordinator uses is made without a context")
    func unusedModel() throws {
        let model = Library.model()
        model.entitiesByName["Author"]?.attributesByName["age"]?.defaultValue = 7
        let entity = try #require(model.entitiesByName["Author"])
        let author = NSManagedObject(entity: entity, insertInto: nil)
        author.setValue("Ada", forKey: "name")
        #expect(author.text("name") == "Ada")
        #expect(author.number("age") == 7)
    }

    @Test("m.14 a realized object reads nil when its context is gone", arguments: ["name", "books", "age"])
    func orphan(key: String) throws {
        var other: NSManagedObjectContext? = coordinator.context()
        let author = try #require(other?.make("Author", ["name": "Ada", "age": 36]))
        let book = try #require(other?.make("Book", ["title": "Notes"]))
        book.setValue(author, forKey: "author")
        try other?.save()
        #expect(author.text("name") == "Ada")
        other = nil
        #expect(author.managedObjectContext == nil)
        let value = author.value(forKey: key)
        #expect(value == nil || (value as? NSOrderedSet)?.count == 0)
        #expect(book.value(forKey: "author") == nil)
    }

    @Test("m.14 a fault reads nil when its context is gone, and keeps what is set then")
    func orphanedFault() throws {
        _ = context.make("Author", ["name": "Ada"])
        try context.save()
        var other: NSManagedObjectContext? = coordinator.context()
        let author = try #require(try other?.all("Author").first)
        other = nil
        #expect(author.isFault)
        #expect(author.value(forKey: "name") == nil)
        author.setValue("Eve", forKey: "name")
        #expect(author.text("name") == "Eve")
    }

    @Test("m.19 an object that was inserted and deleted leaves its context when changes are processed")
    func unsavedDeletion() {
        let author = context.make("Author")
        context.delete(author)
        context.processPendingChanges()
        #expect(!author.isDeleted)
        #expect(author.managedObjectContext == nil)
        #expect(context.registeredObjects.isEmpty)
    }

    @Test("m.19 an object that was deleted in a later event than it was inserted in leaves its context too")
    func laterDeletion() throws {
        let author = context.make("Author")
        let book = context.make("Book")
        book.setValue(author, forKey: "author")
        context.processPendingChanges()
        context.delete(author)
        try context.save()
        #expect(!author.isDeleted)
        #expect(author.managedObjectContext == nil)
        #expect(!context.registeredObjects.contains(author))
    }

    @Test(
        "m.19 with an undo manager it leaves with the save at the latest, and undo brings it back",
        arguments: [true, false])
    func undoneDeletion(saves: Bool) throws {
        let undoManager = UndoManager()
        undoManager.groupsByEvent = false
        context.undoManager = undoManager
        undoManager.beginUndoGrouping()
        let author = context.make("Author", ["name": "Ada"])
        context.processPendingChanges()
        undoManager.endUndoGrouping()
        undoManager.beginUndoGrouping()
        context.delete(author)
        context.processPendingChanges()
        undoManager.endUndoGrouping()
        if saves {
            try context.save()
            #expect(!author.isDeleted)
            #expect(author.managedObjectContext == nil)
            #expect(!context.registeredObjects.contains(author))
        }
        context.undo()
        #expect(context.insertedObjects == [author])
        #expect(author.managedObjectContext === context)
        #expect(author.text("name") == "Ada")
        try context.save()
        #expect(try coordinator.context().strings("Author", "name") == ["Ada"])
    }

    @Test("m.19 what was inserted and deleted has left its context after a rollback")
    func rolledBack() {
        let undoManager = UndoManager()
        undoManager.groupsByEvent = false
        context.undoManager = undoManager
        undoManager.beginUndoGrouping()
        let author = context.make("Author", ["name": "Ada"])
        context.processPendingChanges()
        context.delete(author)
        context.rollback()
        #expect(!author.isDeleted)
        #expect(author.managedObjectContext == nil)
        #expect(context.registeredObjects.isEmpty)
    }

    @Test("m.19 a child's new object that it deletes after its save leaves the parent")
    func deletedInChild() throws {
        let child = context.makeChild()
        let author = child.make("Author")
        try child.save()
        let parents = try #require(context.insertedObjects.first)
        child.delete(author)
        try child.save()
        context.processPendingChanges()
        #expect(!parents.isDeleted)
        #expect(parents.managedObjectContext == nil)
        #expect(context.registeredObjects.isEmpty)
    }

    @Test("m.19 a merged insertion stays registered until the event ends")
    func mergedInsertion() throws {
        let writer = coordinator.context()
        let id = writer.make("Author", ["name": "Ada"])
        let save = try #require(try writer.saveNotification())
        context.mergeChanges(fromContextDidSave: save)
        #expect(context.registeredObject(for: id.objectID) != nil)
        context.processPendingChanges()
        #expect(context.registeredObject(for: id.objectID) == nil)
    }

    @Test("m.25 a new object has no committed values")
    func committedValues() throws {
        let author = context.make("Author", ["name": "Ada"])
        #expect(author.committedValues(forKeys: nil).isEmpty)
        #expect(author.committedValues(forKeys: ["name"]).isEmpty)
        try context.save()
        #expect(author.committedValues(forKeys: ["name"])["name"] as? String == "Ada")
    }

    @Test("m.25 what awakeFromInsert sets by primitives is a changed value of a new object")
    func primitivesOfInsert() throws {
        let entity = ModelSketch.entity("Stamped", [ModelSketch.attribute("name"), ModelSketch.attribute("city")])
        entity.managedObjectClassName = "FirnTests.Stamped"
        entity.attributesByName["city"]?.defaultValue = "Bern"
        let context = try Library.inMemory(ModelSketch.model(entity)).context()
        let stamped = context.make("Stamped")
        #expect(stamped.changedValues().mapValues { $0 as? String } == ["name": "now"])
        stamped.setValue("Bern", forKey: "city")
        #expect(stamped.changedValues().mapValues { $0 as? String } == ["name": "now"])
        stamped.setValue("Rome", forKey: "city")
        #expect(stamped.changedValues().mapValues { $0 as? String } == ["name": "now", "city": "Rome"])
        try context.save()
        #expect(stamped.changedValues().isEmpty)
    }

    @Test("m.25 a new object that is refreshed without merging is a fault, and has its defaults when it fires")
    func refreshedInsertion() throws {
        let author = context.make("Author", ["name": "Ada"])
        context.refresh(author, mergeChanges: false)
        #expect(author.isFault)
        #expect(author.text("name") == nil)
        #expect(!author.isFault)
        #expect(context.insertedObjects == [author])
        author.setValue("Eve", forKey: "name")
        try context.save()
        #expect(try coordinator.context().strings("Author", "name") == ["Eve"])
    }

    @Test("m.25 a new object that is a fault can be saved")
    func savedFault() throws {
        let author = context.make("Author", ["name": "Ada"])
        let book = context.make("Book", ["title": "Notes"])
        book.setValue(author, forKey: "author")
        context.refresh(author, mergeChanges: false)
        context.refresh(book, mergeChanges: false)
        try context.save()
        let reader = coordinator.context()
        #expect(try reader.all("Author").map { $0.text("name") } == [nil])
        #expect(try reader.all("Book").map { $0.value(forKey: "author") as? NSManagedObject } == [nil])
    }

    @Test("m.25 an object is a fault after a reset, and reads nil")
    func resetObjects() throws {
        let author = context.make("Author", ["name": "Ada"])
        try context.save()
        let new = context.make("Author", ["name": "Eve"])
        context.reset()
        #expect(author.isFault)
        #expect(new.isFault)
        #expect(author.value(forKey: "name") == nil)
        #expect(new.value(forKey: "name") == nil)
    }

    @Test("m.25a setValue finds a property by its key with a capital letter, as its setter does")
    func capitalKey() {
        let author = context.make("Author")
        author.setValue("Ada", forKey: "Name")
        #expect(author.text("name") == "Ada")
        author.setValuesForKeys(["Age": 3])
        #expect(author.number("age") == 3)
    }
}

/// Has what its hook sets by a primitive setter.
final class Stamped: NSManagedObject {
    override func awakeFromInsert() {
        super.awakeFromInsert()
        setPrimitiveValue("now", forKey: "name")
    }
}
