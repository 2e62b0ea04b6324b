import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// What contexts keep, take over and give back, where a single line decides.
@Suite("Conformance (m): contexts at the edges")
struct ContextEdgeConformanceTests {
    private let coordinator: NSPersistentStoreCoordinator
    private let context: NSManagedObjectContext

    init() throws {
        coordinator = try Library.inMemory()
        context = coordinator.context()
    }

    /// An author with three books, as another context reads it.
    private func library(
        _ coordinator: NSPersistentStoreCoordinator? = nil
    ) throws -> (context: NSManagedObjectContext, author: NSManagedObject) {
        let coordinator = coordinator ?? self.coordinator
        let context = coordinator.context()
        let author = context.make("Author", ["name": "Ada"])
        for title in ["a", "b", "c"] { context.make("Book", ["title": title]).setValue(author, forKey: "author") }
        try context.save()
        let reader = coordinator.context()
        return (reader, try reader.existingObject(with: author.objectID))
    }

    private func titles(_ author: NSManagedObject) -> [String] { author.books.compactMap { $0.text("title") } }

    @Test("m.42 a rollback brings back a member that was deleted before the others were read")
    func rollback() throws {
        let model = Library.model()
        model.entitiesByName["Book"]?.relationshipsByName["author"]?.deleteRule = .noActionDeleteRule
        let (reader, author) = try library(Library.inMemory(model))
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: "title == 'b'")
        let book = try #require(try reader.fetch(request).first)
        reader.delete(book)
        reader.processPendingChanges()
        #expect(titles(author) == ["a", "c"])
        reader.rollback()
        #expect(titles(author) == ["a", "b", "c"])
    }

    @Test("m.42 the order that a child gave members is the parent's after the child's save")
    func childOrder() throws {
        let (parent, author) = try library()
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        let mine = try child.existingObject(with: author.objectID)
        mine.setValue(NSOrderedSet(array: [mine.books[2], mine.books[0], mine.books[1]]), forKey: "books")
        #expect(titles(author) == ["a", "b", "c"])
        try child.save()
        #expect(titles(author) == ["c", "a", "b"])
        try parent.save()
        let reader = coordinator.context()
        #expect(titles(try reader.existingObject(with: author.objectID)) == ["c", "a", "b"])
    }

    @Test("m.42 a merge of a temporary ID registers nothing")
    func temporaryID() throws {
        let id = context.make("Author").objectID
        #expect(id.isTemporaryID)
        let reader = coordinator.context()
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSInsertedObjectsKey: [id]], into: [reader])
        #expect(reader.registeredObjects.isEmpty && !reader.hasChanges)
    }

    @Test("m.42 an undo manager that was replaced takes nothing back")
    func replacedUndoManager() throws {
        let (old, new) = (UndoManager(), UndoManager())
        let author = context.make("Author", ["name": "Ada"])
        try context.save()
        context.undoManager = old
        old.groupsByEvent = false
        old.beginUndoGrouping()
        author.setValue("Eva", forKey: "name")
        context.processPendingChanges()
        old.endUndoGrouping()
        context.undoManager = new
        old.undo()
        #expect(author.text("name") == "Eva")
    }

    @Test("m.42 what was changed before a deletion is saved once the deletion is undone")
    func undeleted() throws {
        let author = context.make("Author", ["name": "Ada"])
        try context.save()
        let undoManager = UndoManager()
        context.undoManager = undoManager
        undoManager.groupsByEvent = false
        for step in [{ author.setValue("Eva", forKey: "name") }, { author.managedObjectContext?.delete(author) }] {
            undoManager.beginUndoGrouping()
            step()
            context.processPendingChanges()
            undoManager.endUndoGrouping()
        }
        undoManager.undo()
        #expect(author.isUpdated && !author.isDeleted)
        try context.save()
        let reader = coordinator.context()
        #expect(try reader.existingObject(with: author.objectID).text("name") == "Eva")
    }

    @Test("m.42 a query generation later than the store's is refused")
    func laterGeneration() throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let (path, copy) = (directory.file("Library.sqlite"), directory.file("Copy.sqlite"))
        func open(_ url: URL) throws -> NSPersistentStoreCoordinator {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
            _ = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
            return coordinator
        }
        let first = try open(path)
        let writer = first.context()
        _ = writer.make("Author", ["name": "Ada"])
        try writer.save()
        try first.remove(try #require(first.persistentStores.first))
        for end in ["", "-log"] {
            try FileManager.default.copyItem(atPath: path.path + end, toPath: copy.path + end)
        }
        let later = try open(path)
        let changing = later.context()
        _ = changing.make("Author", ["name": "Eva"])
        try changing.save()
        try changing.setQueryGenerationFrom(.current)
        _ = try changing.all("Author")
        let generation = try #require(changing.queryGenerationToken)
        try later.remove(try #require(later.persistentStores.first))
        let older = try open(copy)
        let reader = older.context()
        #expect(throws: (any Error).self) { try reader.setQueryGenerationFrom(generation) }
    }

    @Test("m.42 willSave may change its object in many rounds")
    func rounds() throws {
        let entity = NSEntityDescription()
        entity.name = "Counter"
        entity.managedObjectClassName = NSStringFromClass(CountingObject.self)
        let number = NSAttributeDescription()
        number.name = "number"
        number.attributeType = .integer64AttributeType
        entity.properties = [number]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let coordinator = try Library.inMemory(model)
        let context = coordinator.context()
        let counter = context.make("Counter", ["number": 0])
        try context.save()
        #expect(counter.value(forKey: "number") as? Int == 50)
    }

    @Test("m.42 a reference that was set to what it was goes with an object that another save deletes")
    func deletedElsewhere() throws {
        let model = Library.model()
        model.entitiesByName["Author"]?.relationshipsByName["books"]?.deleteRule = .noActionDeleteRule
        let coordinator = try Library.inMemory(model)
        let (mine, author) = try library(coordinator)
        let book = author.books[0]
        book.setValue(nil, forKey: "author")
        book.setValue(author, forKey: "author")
        mine.processPendingChanges()
        let other = coordinator.context()
        other.delete(try other.existingObject(with: author.objectID))
        let saved = try #require(try other.saveNotification())
        mine.mergeChanges(fromContextDidSave: saved)
        #expect(book.value(forKey: "author") == nil)
    }

    @Test("m.42 an object that was asked for by an ID of before its save is one instance in another context")
    func askedForEarly() throws {
        let (here, there) = (coordinator.context(), coordinator.context())
        let ada = there.make("Author", ["name": "Ada"])
        let early = here.object(with: ada.objectID)
        try there.save()
        let found = try here.existingObject(with: ada.objectID)
        try here.obtainPermanentIDs(for: [here.make("Author", ["name": "Eve"])])
        #expect(here.registeredObject(for: ada.objectID) === found)
        #expect(try here.all("Author").filter { $0.text("name") == "Ada" }.allSatisfy { $0 === found })
        withExtendedLifetime(early) {}
    }
}

final class CountingObject: NSManagedObject {
    override func willSave() {
        super.willSave()
        let number = value(forKey: "number") as? Int ?? 0
        if number < 50 { setValue(number + 1, forKey: "number") }
    }
}
