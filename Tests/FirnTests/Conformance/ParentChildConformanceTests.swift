import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Contexts above contexts. Line numbers are those of section (h) of the behaviour checklist.
@Suite("Conformance (h): parent and child contexts")
struct ParentChildConformanceTests {
    let coordinator: NSPersistentStoreCoordinator
    let parent: NSManagedObjectContext
    let child: NSManagedObjectContext
    let ada: NSManagedObject

    init() throws {
        coordinator = try Library.inMemory()
        parent = coordinator.context()
        child = parent.makeChild()
        ada = parent.make("Author", ["name": "Ada"])
        try parent.save()
    }

    /// [CDP][AD]
    @Test("h.1 a child fetches its parent's unsaved inserts and changes, and not what the parent deleted")
    func fetchThroughParent() throws {
        let bob = parent.make("Author", ["name": "Bob"])
        ada.setValue("Eve", forKey: "name")
        #expect(try child.strings("Author", "name") == ["Bob", "Eve"])
        parent.delete(bob)
        #expect(try child.strings("Author", "name") == ["Eve"])
    }

    /// [CDP][AD]
    @Test("h.1 a child's fault is filled from the parent's unsaved state, members too")
    func faultThroughParent() throws {
        parent.make("Book", ["title": "Notes"]).setValue(ada, forKey: "author")
        ada.setValue("Eve", forKey: "name")
        let mine = child.object(with: ada.objectID)
        #expect(mine.value(forKey: "name") as? String == "Eve")
        let books = try #require(mine.value(forKey: "books") as? NSOrderedSet)
        #expect(books.compactMap { ($0 as? NSManagedObject)?.value(forKey: "title") as? String } == ["Notes"])
    }

    /// [CDP][AD]
    @Test("h.1 a save goes one level up, at every level")
    func oneLevel() throws {
        let grandchild = child.makeChild()
        try grandchild.existingObject(with: ada.objectID).setValue("Eve", forKey: "name")
        try grandchild.save()
        #expect(child.hasChanges)
        #expect(!parent.hasChanges)
        try child.save()
        #expect(!child.hasChanges)
        #expect(parent.updatedObjects == [ada])
        let reader = coordinator.context()
        #expect(try reader.strings("Author", "name") == ["Ada"])
        try parent.save()
        reader.reset()
        #expect(try reader.strings("Author", "name") == ["Eve"])
    }

    /// [CDP][AD]
    @Test("h.1 a parent's change does not come down by itself")
    func notDown() throws {
        let mine = try child.existingObject(with: ada.objectID)
        ada.setValue("Eve", forKey: "name")
        try parent.save()
        child.drain()
        #expect(mine.value(forKey: "name") as? String == "Ada")
    }

    /// [CDP][AD]
    @Test("h.1 a child's save does not reach its siblings by itself")
    func notSideways() throws {
        let sibling = parent.makeChild()
        let theirs = try sibling.existingObject(with: ada.objectID)
        try child.existingObject(with: ada.objectID).setValue("Eve", forKey: "name")
        try child.save()
        sibling.drain()
        #expect(theirs.value(forKey: "name") as? String == "Ada")
    }

    /// [CDP][AD]
    @Test("h.1 a child's deletion is its parent's, unsaved")
    func deletion() throws {
        child.delete(try child.existingObject(with: ada.objectID))
        try child.save()
        #expect(parent.deletedObjects == [ada])
        #expect(try coordinator.context().count(for: NSFetchRequest<NSManagedObject>(entityName: "Author")) == 1)
    }

    /// A child's save of something deleted by the parent meanwhile must not bring the program down. [K]
    @Test("h.1 a child's change of an object that its parent deleted is a conflict, and is lost by its merge policy")
    func changeOfDeleted() throws {
        let mine = try child.existingObject(with: ada.objectID)
        mine.setValue("Eve", forKey: "name")
        parent.delete(ada)
        parent.processPendingChanges()
        #expect(throws: NSError.self) { try child.save() }
        child.mergePolicy = NSMergePolicy.rollback
        try child.save()
        #expect(ada.isDeleted)
        #expect(mine.isDeleted)
        try parent.save()
        #expect(try coordinator.context().all("Author").isEmpty)
    }

    /// [CDP]
    @Test("h.2 a child's save takes transient values along")
    func transients() throws {
        try child.existingObject(with: ada.objectID).setValue("nick", forKey: "nickname")
        let new = child.make("Author", ["nickname": "new"])
        try child.save()
        #expect(ada.value(forKey: "nickname") as? String == "nick")
        #expect(parent.object(with: new.objectID).value(forKey: "nickname") as? String == "new")
    }

    /// The object has its temporary ID still, and only the transient value changed. [CDP]
    @Test("h.2 a child's later transient change goes up too")
    func laterTransient() throws {
        let mine = child.make("Author", ["name": "Bob", "nickname": "old"])
        try child.save()
        #expect(mine.value(forKey: "nickname") as? String == "old")
        mine.setValue("new", forKey: "nickname")
        #expect(child.hasChanges)
        try child.save()
        #expect(parent.object(with: mine.objectID).value(forKey: "nickname") as? String == "new")
    }

    /// They go up with a save, and do not come down with a fetch. [CDP]
    @Test("h.2 a child does not read its parent's transient values")
    func transientsStayAbove() throws {
        ada.setValue("nick", forKey: "nickname")
        let mine = try #require(try child.all("Author").first)
        #expect(mine.value(forKey: "name") as? String == "Ada")
        #expect(mine.value(forKey: "nickname") == nil)
    }
}
