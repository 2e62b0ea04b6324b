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
}
