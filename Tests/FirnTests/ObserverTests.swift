import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// What an observer does in the middle of things costs no change, and no save.
@Suite("Observers that change, save and drop what they hear of")
struct ObserverTests {
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext

    init() throws {
        coordinator = try Library.inMemory()
        context = coordinator.context()
    }

    private func stored(_ entity: String, _ key: String) throws -> Set<String> {
        try coordinator.context().strings(entity, key)
    }

    /// Runs `body` in the first notification of a name, and gives what holds the observer.
    private func once(_ name: Notification.Name, _ body: @escaping () -> Void) -> Watch {
        var isFirst = true
        return Watch(name, context) { _ in
            if isFirst {
                isFirst = false
                body()
            }
        }
    }

    @Test("an object that an observer brings back is listed by a controller that hears of its deletion after that")
    func broughtBack() throws {
        let author = context.make("Author", ["name": "Ada"])
        try context.save()
        let watch = once(.NSManagedObjectContextObjectsDidChange) { context.rollback() }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        let listener = TreeProgram.Listener()
        controller.delegate = listener
        try controller.performFetch()
        context.delete(author)
        context.processPendingChanges()
        #expect(!author.isDeleted)
        #expect(controller.fetchedObjects == [author])
        withExtendedLifetime((watch, listener)) {}
    }

    @Test("what an observer of a did-save changes is kept for the next save, which it may call itself")
    func saveFromDidSave() throws {
        let author = context.make("Author", ["name": "Ada"])
        let watch = once(.NSManagedObjectContextDidSave) {
            author.setValue("Eve", forKey: "name")
            try? context.save()
        }
        try context.save()
        #expect(!context.hasChanges)
        #expect(try stored("Author", "name") == ["Eve"])
        withExtendedLifetime(watch) {}
    }

    @Test("an observer may wait for another thread that saves")
    func waitingForOtherSave() throws {
        let other = coordinator.context()
        var isSaved = false
        let watch = once(.NSManagedObjectContextDidSave) {
            let ended = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                other.performAndWait {
                    _ = other.make("Author", ["name": "Eve"])
                    try? other.save()
                }
                ended.signal()
            }
            isSaved = ended.wait(timeout: .now() + .seconds(600)) == .success
        }
        _ = context.make("Author", ["name": "Ada"])
        try context.save()
        #expect(isSaved)
        #expect(try stored("Author", "name") == ["Ada", "Eve"])
        withExtendedLifetime(watch) {}
    }

    @Test("a save from an observer of a did-change, which the save itself posts, saves all once")
    func saveFromDidChange() throws {
        _ = context.make("Author", ["name": "Ada"])
        let watch = once(.NSManagedObjectContextObjectsDidChange) {
            _ = context.make("Author", ["name": "Eve"])
            try? context.save()
        }
        try context.save()
        #expect(!context.hasChanges)
        #expect(try coordinator.context().all("Author").count == 2)
        #expect(try stored("Author", "name") == ["Ada", "Eve"])
        withExtendedLifetime(watch) {}
    }

    @Test("what an observer of a will-save changes is part of the save")
    func editFromWillSave() throws {
        let (author, doomed) = (context.make("Author", ["name": "Ada"]), context.make("Tag"))
        let watch = once(.NSManagedObjectContextWillSave) {
            author.setValue("Eve", forKey: "name")
            context.delete(doomed)
            _ = context.make("Book", ["title": "Notes"])
        }
        try context.save()
        #expect(!context.hasChanges)
        #expect(try stored("Author", "name") == ["Eve"])
        #expect(try stored("Book", "title") == ["Notes"])
        #expect(try coordinator.context().all("Tag").isEmpty)
        withExtendedLifetime(watch) {}
    }

    @Test("an observer of a will-save may drop all changes: nothing is saved", arguments: [false, true])
    func dropFromWillSave(_ resets: Bool) throws {
        let author = context.make("Author", ["name": "Ada"])
        try context.save()
        author.setValue("Eve", forKey: "name")
        _ = context.make("Book")
        let watch = once(.NSManagedObjectContextWillSave) { if resets { context.reset() } else { context.rollback() } }
        try context.save()
        #expect(!context.hasChanges)
        #expect(try stored("Author", "name") == ["Ada"])
        #expect(try coordinator.context().all("Book").isEmpty)
        withExtendedLifetime(watch) {}
    }

    @Test("a did-save whose observer resets the context has saved", arguments: [false, true])
    func dropFromDidSave(_ resets: Bool) throws {
        _ = context.make("Author", ["name": "Ada"])
        let watch = once(.NSManagedObjectContextDidSave) { if resets { context.reset() } else { context.rollback() } }
        try context.save()
        #expect(!context.hasChanges)
        #expect(try stored("Author", "name") == ["Ada"])
        withExtendedLifetime(watch) {}
    }

    @Test("a did-save whose observer deletes what was saved leaves the deletion to be saved")
    func deleteFromDidSave() throws {
        let author = context.make("Author", ["name": "Ada"])
        let watch = once(.NSManagedObjectContextDidSave) { context.delete(author) }
        try context.save()
        #expect(context.deletedObjects == [author])
        try context.save()
        #expect(try coordinator.context().all("Author").isEmpty)
        withExtendedLifetime(watch) {}
    }

    @Test("an observer of a did-change may drop all changes", arguments: [false, true])
    func dropFromDidChange(_ resets: Bool) throws {
        _ = context.make("Author", ["name": "Ada"])
        let watch = once(.NSManagedObjectContextObjectsDidChange) {
            if resets { context.reset() } else { context.rollback() }
        }
        context.processPendingChanges()
        #expect(!context.hasChanges)
        _ = context.make("Author", ["name": "Eve"])
        try context.save()
        #expect(try stored("Author", "name") == ["Eve"])
        withExtendedLifetime(watch) {}
    }

    @Test("what an observer of a merge's did-change edits is kept")
    func editFromMerge() throws {
        let author = context.make("Author", ["name": "Ada"])
        try context.save()
        let other = coordinator.context()
        try other.existingObject(with: author.objectID).setValue("Eve", forKey: "name")
        let saved = try #require(try other.saveNotification())
        let watch = once(.NSManagedObjectContextObjectsDidChange) { author.setValue(36, forKey: "age") }
        context.mergeChanges(fromContextDidSave: saved)
        try context.save()
        let read = try coordinator.context().existingObject(with: author.objectID)
        #expect(read.changedValues().isEmpty)
        #expect(author.text("name") == "Eve")
        #expect(author.number("age") == 36)
        #expect(try stored("Author", "name") == ["Eve"])
        withExtendedLifetime(watch) {}
    }

    @Test("a child's save that an observer of the parent drops throws: the child has it", arguments: [false, true])
    func dropChildSave(_ resets: Bool) throws {
        let (ada, tag) = (context.make("Author", ["name": "Ada"]), context.make("Tag"))
        try context.save()
        let child = context.makeChild()
        let (mine, doomed) = (
            try child.existingObject(with: ada.objectID), try child.existingObject(with: tag.objectID)
        )
        mine.setValue("Eve", forKey: "name")
        child.delete(doomed)
        let new = child.make("Book", ["title": "Notes"])
        new.setValue(mine, forKey: "author")
        let watch = once(.NSManagedObjectContextObjectsDidChange) {
            if resets { context.reset() } else { context.rollback() }
        }
        let error = #expect(throws: NSError.self) { try child.save() }
        #expect(error?.code == NSPersistentStoreSaveError)
        #expect(!context.hasChanges)
        #expect(child.insertedObjects == [new])
        #expect(child.updatedObjects == [mine])
        #expect(child.deletedObjects == [doomed])
        try child.save()
        try context.save()
        #expect(try stored("Author", "name") == ["Eve"])
        #expect(try coordinator.context().all("Tag").isEmpty)
        let reader = coordinator.context()
        let author = try reader.all("Book").first?.value(forKey: "author") as? NSManagedObject
        #expect(author?.objectID == ada.objectID)
        withExtendedLifetime((watch, reader)) {}
    }

    @Test("a child's save whose parent an observer saves, and then drops, is done", arguments: [false, true])
    func dropSavedChild(_ resets: Bool) throws {
        let child = context.makeChild()
        let new = child.make("Author", ["name": "Ada"])
        let watch = once(.NSManagedObjectContextObjectsDidChange) {
            try? context.save()
            if resets { context.reset() } else { context.rollback() }
        }
        try child.save()
        #expect(!child.hasChanges)
        new.setValue("Eve", forKey: "name")
        try child.save()
        try context.save()
        #expect(try stored("Author", "name") == ["Eve"])
        withExtendedLifetime(watch) {}
    }

    @Test("an observer of the parent may drop what a child is saving: the parent has it", arguments: [false, true])
    func dropInChild(_ resets: Bool) throws {
        let (ada, tag) = (context.make("Author", ["name": "Ada"]), context.make("Tag"))
        try context.save()
        let child = context.makeChild()
        let mine = try child.existingObject(with: ada.objectID)
        mine.setValue("Eve", forKey: "name")
        child.delete(try child.existingObject(with: tag.objectID))
        let new = child.make("Book", ["title": "Notes"])
        let watch = once(.NSManagedObjectContextObjectsDidChange) {
            if resets { child.reset() } else { child.rollback() }
        }
        try child.save()
        #expect(!child.hasChanges)
        #expect(new.managedObjectContext == nil)
        #expect(try child.strings("Author", "name") == ["Eve"])
        #expect(try child.strings("Book", "title") == ["Notes"])
        #expect(try child.all("Tag").isEmpty)
        try context.save()
        #expect(try stored("Author", "name") == ["Eve"])
        withExtendedLifetime(watch) {}
    }

    @Test("what an observer of the parent changes in a child that is being saved is saved next")
    func editInChild() throws {
        let ada = context.make("Author", ["name": "Ada"])
        try context.save()
        let child = context.makeChild()
        let mine = try child.existingObject(with: ada.objectID)
        let new = child.make("Book", ["title": "Notes"])
        mine.setValue("Eve", forKey: "name")
        let doomed = child.make("Tag", ["label": "y"])
        let watch = once(.NSManagedObjectContextObjectsDidChange) {
            mine.setValue(36, forKey: "age")
            new.setValue("Poems", forKey: "title")
            child.delete(doomed)
            _ = child.make("Tag", ["label": "x"])
        }
        try child.save()
        #expect(child.hasChanges)
        try child.save()
        try context.save()
        #expect(try stored("Author", "name") == ["Eve"])
        let reader = coordinator.context()
        #expect(try reader.all("Author").first?.number("age") == 36)
        #expect(try stored("Book", "title") == ["Poems"])
        #expect(try stored("Tag", "label") == ["x"])
        withExtendedLifetime((watch, reader)) {}
    }
}
