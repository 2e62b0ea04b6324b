import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Undo in a context")
struct UndoTests {
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext

    init() throws {
        coordinator = try Library.inMemory()
        context = coordinator.context()
        context.undoManager = UndoManager()
        context.undoManager?.groupsByEvent = false
    }

    /// One step of the undo manager.
    private func step(_ body: () throws -> Void) rethrows {
        context.undoManager?.beginUndoGrouping()
        try body()
        context.processPendingChanges()
        context.undoManager?.endUndoGrouping()
    }

    @Test("a changed value comes back, and goes again")
    func values() throws {
        var ada: NSManagedObject?
        step { ada = context.make("Author", ["name": "Ada"]) }
        step { ada?.setValue("Eve", forKey: "name") }
        context.undo()
        #expect(ada?.value(forKey: "name") as? String == "Ada")
        context.redo()
        #expect(ada?.value(forKey: "name") as? String == "Eve")
    }

    @Test("what was deleted together, refreshed and saved is related as before when the deletion is undone")
    func refreshedDeletion() throws {
        var made: NSManagedObject?
        step {
            made = context.make("Author", ["name": "Ada"])
            context.make("Book", ["title": "1"]).setValue(made, forKey: "author")
        }
        let author = try #require(made)
        try context.save()
        step { context.delete(author) }
        context.refreshAllObjects()
        try context.save()
        context.undo()
        #expect(author.books.compactMap { $0.value(forKey: "title") as? String } == ["1"])
    }

    @Test("what was deleted together and saved has what it led to when the deletion is undone")
    func savedDeletion() throws {
        let author = context.make("Author", ["name": "Ada"])
        let book = context.make("Book", ["title": "1"])
        book.setValue(author, forKey: "author")
        step {}
        try context.save()
        context.refreshAllObjects()
        step { context.delete(author) }
        try context.save()
        context.undo()
        #expect(book.value(forKey: "author") as? NSManagedObject === author)
        try context.save()
        #expect(try coordinator.context().strings("Book", "title") == ["1"])
    }

    @Test("what led to an object whose deletion was saved leads nowhere when the change away from it is undone")
    func goneDestination() throws {
        let model = Library.model()
        model.entitiesByName["Author"]?.relationshipsByName["books"]?.deleteRule = .noActionDeleteRule
        let context = try Library.inMemory(model).context()
        context.undoManager = UndoManager()
        let (ada, eve) = (context.make("Author", ["name": "Ada"]), context.make("Author", ["name": "Eve"]))
        let book = context.make("Book", ["title": "1"])
        book.setValue(ada, forKey: "author")
        try context.save()
        context.delete(ada)
        context.processPendingChanges()
        context.undoManager?.removeAllActions()
        book.setValue(eve, forKey: "author")
        context.processPendingChanges()
        try context.save()
        context.undo()
        #expect(book.value(forKey: "author") == nil)
        try context.save()
    }

    @Test("a book given to its author elsewhere, whose deletion here was saved, is not back when another one is")
    func goneMember() throws {
        let other = coordinator.context()
        try other.performAndWait {
            let ada = other.make("Author", ["name": "Ada"])
            other.make("Book", ["title": "1"]).setValue(ada, forKey: "author")
            _ = other.make("Book", ["title": "2"])
            try other.save()
        }
        let ada = try #require(try context.all("Author").first)
        let books = try context.all("Book", sortedBy: "title")
        _ = books.map { $0.value(forKey: "title") }
        step { context.delete(books[1]) }
        try other.performAndWait {
            let book = try other.all("Book", sortedBy: "title")[1]
            book.setValue(try other.all("Author").first, forKey: "author")
            try other.save()
        }
        context.refreshAllObjects()
        step { context.delete(books[0]) }
        try context.save()
        context.undo()
        #expect(ada.books.map { $0.value(forKey: "title") as? String } == ["1"])
    }

    @Test("a book related elsewhere after its deletion here is related both ways once the saved deletion is undone")
    func relatedAfterDeletion() throws {
        let other = coordinator.context()
        try other.performAndWait {
            _ = other.make("Author", ["name": "Ada"])
            _ = other.make("Book", ["title": "1"])
            _ = other.make("Tag", ["label": "red"])
            try other.save()
        }
        let ada = try #require(try context.all("Author").first)
        let book = try #require(try context.all("Book").first)
        let tag = try #require(try context.all("Tag").first)
        #expect(book.value(forKey: "title") as? String == "1")
        step { context.delete(book) }
        try other.performAndWait {
            let book = try #require(try other.all("Book").first)
            book.setValue(try other.all("Author").first, forKey: "author")
            book.setValue(NSSet(array: try other.all("Tag")), forKey: "tags")
            try other.save()
        }
        context.refreshAllObjects()
        try context.save()
        context.undo()
        #expect(book.value(forKey: "author") as? NSManagedObject === ada)
        #expect(ada.books == [book])
        #expect(book.value(forKey: "tags") as? Set<NSManagedObject> == [tag])
        #expect(tag.value(forKey: "books") as? Set<NSManagedObject> == [book])
        try context.save()
        let reader = coordinator.context()
        try reader.performAndWait {
            let read = try #require(try reader.all("Book").first)
            #expect(try reader.all("Author").first?.books == [read])
            #expect(try reader.all("Tag").first?.value(forKey: "books") as? Set<NSManagedObject> == [read])
        }
    }

    @Test(
        "an author given a book after the author's deletion here has it once that is undone, unless it was given away",
        arguments: [false, true])
    func givenAfterDeletion(_ isGivenAway: Bool) throws {
        let model = Library.model()
        model.entitiesByName["Author"]?.relationshipsByName["books"]?.deleteRule = .nullifyDeleteRule
        let coordinator = try Library.inMemory(model)
        let (context, other) = (coordinator.context(), coordinator.context())
        context.undoManager = UndoManager()
        let (ada, eve) = (context.make("Author", ["name": "Ada"]), context.make("Author", ["name": "Eve"]))
        let book = context.make("Book", ["title": "1"])
        try context.save()
        context.undoManager?.removeAllActions()
        context.delete(ada)
        context.processPendingChanges()
        try other.performAndWait {
            try other.all("Book").first?.setValue(other.object(with: ada.objectID), forKey: "author")
            try other.save()
        }
        context.refreshAllObjects()
        context.undoManager?.disableUndoRegistration()
        if isGivenAway { book.setValue(eve, forKey: "author") }
        try context.save()
        context.undoManager?.enableUndoRegistration()
        context.undo()
        #expect(book.value(forKey: "author") as? NSManagedObject === (isGivenAway ? eve : ada))
        #expect(ada.books == (isGivenAway ? [] : [book]))
        #expect(eve.books == (isGivenAway ? [book] : []))
        try context.save()
    }

    @Test("a book whose deletion was saved, and is not to be undone, is none of its author's when its move is undone")
    func goneFormerMember() throws {
        let (ada, book) = (context.make("Author", ["name": "Ada"]), context.make("Book", ["title": "1"]))
        book.setValue(ada, forKey: "author")
        step {}
        try context.save()
        step { ada.setValue(NSOrderedSet(), forKey: "books") }
        context.undoManager?.disableUndoRegistration()
        context.delete(book)
        context.processPendingChanges()
        context.undoManager?.enableUndoRegistration()
        try context.save()
        context.undo()
        #expect(ada.books.isEmpty)
        try context.save()
    }

    @Test("an object that is found to be gone when it is read is no deletion that could be undone")
    func goneWhenRead() throws {
        let other = coordinator.context()
        let ada = try other.performAndWait {
            let ada = other.make("Author", ["name": "Ada"])
            try other.save()
            return ada
        }
        let stale = context.object(with: ada.objectID)
        try other.performAndWait {
            other.delete(ada)
            try other.save()
        }
        step {
            _ = context.make("Tag")
            #expect(stale.value(forKey: "name") == nil)
        }
        context.undo()
        #expect(context.insertedObjects.isEmpty)
        #expect(stale.isDeleted)
    }

    @Test("an insertion is undone and redone")
    func insertion() throws {
        step { _ = context.make("Author", ["name": "Ada"]) }
        context.undo()
        #expect(context.insertedObjects.isEmpty)
        #expect(try context.all("Author").isEmpty)
        context.redo()
        #expect(try context.strings("Author", "name") == ["Ada"])
        try context.save()
        #expect(try coordinator.context().strings("Author", "name") == ["Ada"])
    }

    @Test("a deletion comes back with its relationships")
    func deletion() throws {
        let ada = context.make("Author", ["name": "Ada"])
        let tag = context.make("Tag", ["label": "red"])
        let book = context.make("Book", ["title": "Notes"])
        book.setValue(ada, forKey: "author")
        book.setValue(Set([tag]), forKey: "tags")
        step {}
        try context.save()
        step { context.delete(ada) }
        #expect(book.isDeleted)
        context.undo()
        #expect(!book.isDeleted && !ada.isDeleted)
        #expect(book.value(forKey: "author") as? NSManagedObject === ada)
        #expect((tag.value(forKey: "books") as? NSSet)?.count == 1)
        try context.save()
        #expect(try coordinator.context().strings("Book", "title") == ["Notes"])
    }

    @Test("An event outside of all groups is a group of its own, and a save needs none")
    func withoutGroup() throws {
        let ada = context.make("Author", ["name": "Ada"])
        try context.save()
        ada.setValue("Eve", forKey: "name")
        context.processPendingChanges()
        ada.setValue("Ida", forKey: "name")
        context.processPendingChanges()
        #expect(context.undoManager?.groupingLevel == 0)
        context.undo()
        #expect(ada.text("name") == "Eve")
        context.undo()
        #expect(ada.text("name") == "Ada")
        context.redo()
        try context.save()
        #expect(try coordinator.context().strings("Author", "name") == ["Eve"])
        context.delete(ada)
        context.processPendingChanges()
        context.undo()
        #expect(!ada.isDeleted)
        context.undo()
        context.undo()
        #expect(context.insertedObjects.isEmpty && context.undoManager?.canUndo == false)
    }

    @Test("an undo leaves members that came or went since, by another save or while registration was disabled")
    func laterMembers() throws {
        let book = context.make("Book", ["title": "Notes"])
        let tags = ["a", "b", "c", "d"].map { context.make("Tag", ["label": $0]) }
        book.setValue(NSSet(object: tags[3]), forKey: "tags")
        try context.save()
        step { book.mutableSetValue(forKey: "tags").add(tags[0]) }
        let other = coordinator.context()
        let theirs = try other.existingObject(with: book.objectID)
        theirs.setValue(NSSet(object: try other.existingObject(with: tags[1].objectID)), forKey: "tags")
        context.mergeChanges(fromContextDidSave: try #require(try other.saveNotification()))
        context.undoManager?.disableUndoRegistration()
        book.mutableSetValue(forKey: "tags").add(tags[2])
        context.processPendingChanges()
        context.undoManager?.enableUndoRegistration()
        context.undo()
        try context.save()
        try withExtendedLifetime(coordinator.context()) { reader in
            let stored = try reader.existingObject(with: book.objectID).value(forKey: "tags")
            #expect(Set((stored as? Set<NSManagedObject> ?? []).map { $0.text("label") }) == ["b", "c"])
        }
    }

    @Test("the undo of a deletion that a merge policy or a refresh dropped since leaves the object",
        arguments: [false, true])
    func droppedDeletion(byPolicy: Bool) throws {
        let author = context.make("Author", ["name": "Ada"])
        try context.save()
        step { context.delete(author) }
        if byPolicy {
            try coordinator.write { try $0.existingObject(with: author.objectID).setValue(36, forKey: "age") }
            context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
            try context.save()
        } else {
            context.refresh(author, mergeChanges: false)
        }
        context.undo()
        try context.save()
        #expect(try context.all("Author") == [author])
        #expect(try coordinator.context().all("Author").count == 1)
    }

    @Test("a deletion that another save made too is undone with what the object was related to")
    func deletedElsewhereToo() throws {
        let (author, book) = (context.make("Author", ["name": "Ada"]), context.make("Book", ["title": "Notes"]))
        let tag = context.make("Tag", ["label": "a"])
        book.setValue(author, forKey: "author")
        book.setValue(NSSet(object: tag), forKey: "tags")
        try context.save()
        let other = coordinator.context()
        let theirs = try other.existingObject(with: book.objectID)
        step { context.delete(book) }
        other.delete(theirs)
        context.mergeChanges(fromContextDidSave: try #require(try other.saveNotification()))
        context.undo()
        try context.save()
        try withExtendedLifetime(coordinator.context()) { reader in
            let stored = try #require(try reader.all("Book").first)
            #expect((stored.value(forKey: "author") as? NSManagedObject)?.text("name") == "Ada")
            #expect((stored.value(forKey: "tags") as? Set<NSManagedObject>)?.map { $0.text("label") } == ["a"])
        }
        #expect(author.books == [book])
        #expect(tag.value(forKey: "books") as? Set<NSManagedObject> == [book])
    }

    @Test("an edit made while registration is disabled is not undone")
    func disabled() throws {
        var ada: NSManagedObject?
        step { ada = context.make("Author", ["name": "Ada"]) }
        context.processPendingChanges()
        context.undoManager?.disableUndoRegistration()
        ada?.setValue(36, forKey: "age")
        context.processPendingChanges()
        context.undoManager?.enableUndoRegistration()
        step { ada?.setValue("Eve", forKey: "name") }
        context.undo()
        #expect(ada?.value(forKey: "name") as? String == "Ada")
        #expect(ada?.value(forKey: "age") as? Int == 36)
    }
}
