import Firn
import FirnModel
import Foundation
import StoreSupport
import Testing

/// What a child's save leaves in its parent, where the parent has changes of its own or takes the save back.
@Suite("Conformance (m): changes of a child in its parent")
struct ChildEdgeConformanceTests {
    private let coordinator: NSPersistentStoreCoordinator
    private let parent: NSManagedObjectContext
    private let child: NSManagedObjectContext
    private let book: NSManagedObject
    private let tags: [NSManagedObject]

    /// A book with the tag "old", and the tag "new".
    init() throws {
        coordinator = try Library.inMemory()
        parent = coordinator.context()
        book = parent.make("Book", ["title": "Notes"])
        tags = [parent.make("Tag", ["label": "old"]), parent.make("Tag", ["label": "new"])]
        book.setValue(NSSet(object: tags[0]), forKey: "tags")
        try parent.save()
        child = parent.makeChild()
    }

    /// The child replaces the tag by the other one and saves, as one step of the parent's undo manager.
    private func replaceTag() throws {
        let mine = try child.existingObject(with: book.objectID)
        let other = try child.existingObject(with: tags[1].objectID)
        mine.setValue(NSSet(object: other), forKey: "tags")
        parent.undoManager = UndoManager()
        parent.undoManager?.groupsByEvent = false
        parent.undoManager?.beginUndoGrouping()
        try child.save()
        parent.undoManager?.endUndoGrouping()
    }

    private func shown(_ book: NSManagedObject) -> Set<String> {
        Set(((book.value(forKey: "tags") as? Set<NSManagedObject>) ?? []).compactMap { $0.text("label") })
    }

    private func stored() throws -> Set<String> {
        let reader = coordinator.context()
        let found = try #require(try reader.all("Book").first)
        return withExtendedLifetime(reader) { shown(found) }
    }

    @Test("m.42 a child's many-to-many change is a change of both objects in the parent, and saved by it")
    func noted() throws {
        try replaceTag()
        #expect(parent.updatedObjects == [book, tags[0], tags[1]])
        #expect(book.changedValues().keys.sorted() == ["tags"])
        #expect(tags.allSatisfy { $0.changedValues().keys.sorted() == ["books"] })
        try parent.save()
        #expect(try stored() == ["new"])
    }

    @Test("m.42 the parent undoes a child's many-to-many change, and saves what was before")
    func undone() throws {
        try replaceTag()
        parent.undo()
        #expect(shown(book) == ["old"])
        #expect((tags[1].value(forKey: "books") as? NSSet)?.count == 0)
        try parent.save()
        #expect(try stored() == ["old"])
        parent.undo()
        parent.redo()
        try parent.save()
        #expect(try stored() == shown(book))
    }

    @Test("m.42 delete rules reach what the parent related to an object that its child deletes")
    func deleteRules() throws {
        let author = parent.make("Author", ["name": "Ada"])
        try parent.save()
        let theirs = try child.existingObject(with: author.objectID)
        #expect((theirs.value(forKey: "books") as? NSOrderedSet)?.count == 0)
        // The child has read that there are none.
        book.setValue(author, forKey: "author")
        child.delete(theirs)
        try child.save()
        #expect(author.isDeleted)
        #expect(book.isDeleted, "the rule of Author.books is to cascade")
        try parent.save()
        #expect(try coordinator.context().all("Book").isEmpty)
    }

    @Test("m.42 a tag that the parent gave a book is taken from it when a child deletes the tag")
    func nullified() throws {
        let tag = try child.existingObject(with: tags[1].objectID)
        #expect((tag.value(forKey: "books") as? NSSet)?.count == 0)
        book.setValue(NSSet(objects: tags[0], tags[1]), forKey: "tags")
        parent.processPendingChanges()
        child.delete(tag)
        try child.save()
        #expect(shown(book) == ["old"])
        try parent.save()
        #expect(try stored() == ["old"])
    }

    @Test("m.42 a parent that merges what its child saved into it keeps the new objects, and what leads to them")
    func mergedByParent() throws {
        let tag = child.make("Tag", ["label": "third"])
        let saves = Recorder(.NSManagedObjectContextDidSave, child)
        try child.save()
        let own = parent.object(with: tag.objectID)
        book.setValue(NSSet(objects: own), forKey: "tags")
        tag.setValue("fourth", forKey: "label")
        try child.save()
        for notification in saves.notifications { parent.mergeChanges(fromContextDidSave: notification) }
        #expect(shown(book) == ["fourth"])
        #expect(parent.insertedObjects == [own])
        try parent.save()
        #expect(try stored() == ["fourth"])
    }

    @Test("m.42 a parent that merges its child's deletion late keeps the new object whose deletion it undid")
    func mergedLate() throws {
        parent.undoManager = UndoManager()
        parent.undoManager?.groupsByEvent = false
        func step(_ body: () throws -> Void) rethrows {
            parent.undoManager?.beginUndoGrouping()
            try body()
            parent.processPendingChanges()
            parent.undoManager?.endUndoGrouping()
        }
        step { _ = parent.make("Tag", ["label": "third"]) }
        let own = try #require(parent.insertedObjects.first)
        let saves = Recorder(.NSManagedObjectContextDidSave, child)
        child.delete(try child.existingObject(with: own.objectID))
        try step { try child.save() }
        parent.undo()
        step { book.setValue(NSSet(objects: own), forKey: "tags") }
        for notification in saves.notifications { parent.mergeChanges(fromContextDidSave: notification) }
        #expect(shown(book) == ["third"])
        try parent.save()
        #expect(try stored() == ["third"])
    }
}
