import Firn
import FirnFoundation
import FirnModel
import Foundation
import StoreSupport
import Testing

/// Objects that another context has deleted, and what this one holds of them.
@Suite("Objects deleted elsewhere")
struct DeletedElsewhereConformanceTests {
    private static let policies: [NSMergePolicyType] = [
        .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType,
    ]

    @Test("m.42 a value that is set to what it was does not write an object again that another save deleted",
        arguments: policies)
    func setBack(_ policy: NSMergePolicyType) throws {
        let coordinator = try Library.inMemory()
        let (here, there) = (coordinator.context(), coordinator.context())
        let (ada, eve) = (here.make("Author", ["name": "Ada"]), here.make("Author", ["name": "Eve"]))
        try here.save()
        here.mergePolicy = NSMergePolicy(merge: policy)
        ada.setValue("Ada", forKey: "name")
        eve.setValue("Eva", forKey: "name")
        there.delete(try there.existingObject(with: ada.objectID))
        try there.save()
        try here.save()
        #expect(try here.all("Author").map { $0.text("name") } == ["Eva"])
        let reader = coordinator.context()
        #expect(try reader.all("Author").map { $0.text("name") } == ["Eva"])
    }

    @Test("m.42 an object that became the destination of another is written again with it", arguments: policies)
    func destination(_ policy: NSMergePolicyType) throws {
        let coordinator = try Library.inMemory()
        let (here, there) = (coordinator.context(), coordinator.context())
        let (ada, book) = (there.make("Author", ["name": "Ada"]), there.make("Book", ["title": "Notes"]))
        try there.save()
        here.mergePolicy = NSMergePolicy(merge: policy)
        let (author, notes) = (here.object(with: ada.objectID), here.object(with: book.objectID))
        notes.setValue(author, forKey: "author")
        there.delete(ada)
        try there.save()
        try here.save()
        let reader = coordinator.context()
        let read = try #require(try reader.all("Book").first)
        #expect((read.value(forKey: "author") as? NSManagedObject)?.text("name") == "Ada")
        here.refreshAllObjects()
        #expect((notes.value(forKey: "author") as? NSManagedObject)?.text("name") == "Ada")
        #expect(author.books == [notes])
    }

    @Test("m.42 a deletion that is told of after this context wrote the object again does not end what leads to it")
    func toldLate() throws {
        let coordinator = try Library.inMemory()
        let (here, there) = (coordinator.context(), coordinator.context())
        let (ada, book) = (here.make("Author", ["name": "Ada"]), here.make("Book", ["title": "Notes"]))
        try here.save()
        here.mergePolicy = NSMergePolicy.overwrite
        book.setValue(ada, forKey: "author")
        there.delete(try there.existingObject(with: ada.objectID))
        let saves = Recorder(.NSManagedObjectContextDidSave, there)
        try there.save()
        try here.save()
        coordinator.evictRows()
        for notification in saves.notifications { here.mergeChanges(fromContextDidSave: notification) }
        #expect(ada.books == [book])
        #expect(book.value(forKey: "author") as? NSManagedObject === ada)
    }

    @Test("m.42 a child that follows hears of an object whose deletion its parent undid")
    func undone() throws {
        let coordinator = try Library.inMemory()
        let parent = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        parent.persistentStoreCoordinator = coordinator
        let manager = FirnFoundation.UndoManager()
        manager.groupsByEvent = false
        parent.undoManager = manager
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        child.automaticallyMergesChangesFromParent = true
        try parent.performAndWait {
            manager.disableUndoRegistration()
            let ada = parent.make("Author", ["name": "Ada"])
            try parent.save()
            manager.enableUndoRegistration()
            for change in [{ ada.setValue("Eva", forKey: "name") }, { parent.delete(ada) }] {
                manager.beginUndoGrouping()
                change()
                parent.processPendingChanges()
                manager.endUndoGrouping()
            }
        }
        func names() throws -> [String?] {
            try child.performAndWait { try child.all("Author").map { $0.text("name") } }
        }
        child.performAndWait { child.refreshAllObjects() }
        #expect(try names() == [])
        try parent.performAndWait {
            parent.undo()
            try parent.save()
        }
        #expect(try names() == ["Eva"])
    }
}
