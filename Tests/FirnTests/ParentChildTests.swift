import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Parent and child contexts")
struct ParentChildTests {
    let coordinator: NSPersistentStoreCoordinator
    let parent: NSManagedObjectContext
    let child: NSManagedObjectContext

    init() throws {
        coordinator = try Library.inMemory()
        parent = coordinator.context()
        child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
    }

    @Test("a child sees its parent's unsaved changes, and saves one level up")
    func oneLevel() throws {
        let ada = parent.make("Author", ["name": "Ada"])
        let mine = try #require(try child.all("Author").first)
        #expect(mine.objectID == ada.objectID)
        #expect(mine.value(forKey: "name") as? String == "Ada")
        mine.setValue("Eve", forKey: "name")
        mine.setValue("nick", forKey: "nickname")
        let new = child.make("Book", ["title": "Notes"])
        new.setValue(mine, forKey: "author")
        try child.save()
        #expect(!child.hasChanges)
        #expect(new.objectID.isTemporaryID)
        #expect(parent.hasChanges)
        #expect(ada.value(forKey: "name") as? String == "Eve")
        #expect(ada.value(forKey: "nickname") as? String == "nick")
        #expect((ada.value(forKey: "books") as? NSOrderedSet)?.count == 1)
        #expect(try coordinator.context().all("Author").isEmpty)
        try parent.save()
        let reader = coordinator.context()
        defer { withExtendedLifetime(reader) {} }
        let stored = try #require(try reader.all("Author").first)
        #expect(stored.value(forKey: "name") as? String == "Eve")
        #expect((stored.value(forKey: "books") as? NSOrderedSet)?.count == 1)
    }

    @Test("after the parent's save the child still has one instance for each object")
    func identityAfterParentSave() throws {
        let book = child.make("Book", ["title": "Notes"])
        let ada = child.make("Author", ["name": "Ada"])
        book.setValue(ada, forKey: "author")
        try child.save()
        try parent.save()
        child.refreshAllObjects()
        #expect(try child.all("Book").first === book)
        #expect(book.value(forKey: "author") as? NSManagedObject === ada)
        book.setValue("Poems", forKey: "title")
        try child.save()
        try parent.save()
        #expect(try coordinator.context().strings("Book", "title") == ["Poems"])
    }

    @Test("a child that leads to a new object of its parent, which the parent has deleted, leads nowhere once it saves")
    func destinationIsGone() throws {
        let motto = NSRelationshipDescription()
        motto.name = "motto"
        motto.maxCount = 1
        let tag = ModelSketch.entity("Tag", [])
        motto.destinationEntity = tag
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: ModelSketch.model(ModelSketch.entity("Page", [motto]), tag))
        _ = try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        let parent = coordinator.context()
        child.parent = parent
        let page = parent.make("Page")
        try parent.save()
        do {
            let tag = parent.make("Tag")
            let mine = try child.existingObject(with: page.objectID)
            mine.setValue(try child.existingObject(with: tag.objectID), forKey: "motto")
            parent.delete(tag)
            parent.processPendingChanges()
        }
        try child.save()
        child.reset()
        #expect(page.value(forKey: "motto") == nil)
        #expect(try child.existingObject(with: page.objectID).value(forKey: "motto") == nil)
        try parent.save()
        #expect(try coordinator.context().all("Page").first?.value(forKey: "motto") == nil)
    }

    @Test("a child's deletion reaches the store through the parent")
    func deletion() throws {
        let ada = parent.make("Author", ["name": "Ada"])
        parent.make("Book", ["title": "Notes"]).setValue(ada, forKey: "author")
        try parent.save()
        child.delete(try child.existingObject(with: ada.objectID))
        try child.save()
        #expect(ada.isDeleted)
        #expect(try coordinator.context().all("Author").count == 1)
        try parent.save()
        #expect(try coordinator.context().all("Author").isEmpty)
        #expect(try coordinator.context().all("Book").isEmpty)
    }

    @Test("nothing flows from a parent's later changes into a child by itself")
    func noFlowDown() throws {
        let ada = parent.make("Author", ["name": "Ada"])
        try parent.save()
        let mine = try child.existingObject(with: ada.objectID)
        #expect(mine.value(forKey: "name") as? String == "Ada")
        ada.setValue("Eve", forKey: "name")
        try parent.save()
        #expect(mine.value(forKey: "name") as? String == "Ada")
        child.refresh(mine, mergeChanges: true)
        #expect(mine.value(forKey: "name") as? String == "Eve")
    }
}
