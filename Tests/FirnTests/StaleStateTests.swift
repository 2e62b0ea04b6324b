import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("What contexts keep from before")
struct StaleStateTests {
    private let coordinator: NSPersistentStoreCoordinator

    init() throws { coordinator = try Library.inMemory() }

    @Test("an edit that was pending when its undo manager was taken away is no part of the next manager's steps")
    func pendingUndo() throws {
        let context = coordinator.context()
        let (author, book) = (context.make("Author", ["name": "Ada"]), context.make("Book", ["title": "Notes"]))
        try context.save()
        context.undoManager = UndoManager()
        context.undoManager?.groupsByEvent = false
        author.setValue("Eva", forKey: "name")
        context.undoManager = nil
        try context.save()
        let manager = UndoManager()
        manager.groupsByEvent = false
        context.undoManager = manager
        book.setValue("Poems", forKey: "title")
        context.processPendingChanges()
        manager.undo()
        #expect(book.text("title") == "Notes")
        #expect(author.text("name") == "Eva")
        #expect(context.updatedObjects == [book])
    }

    @Test("a child that was made before its parent had a coordinator follows, and hears of a store's removal")
    func coordinatorLater() throws {
        let root = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        let child = root.makeChild()
        child.automaticallyMergesChangesFromParent = true
        root.persistentStoreCoordinator = coordinator
        let author = root.make("Author", ["name": "Ada"])
        try root.save()
        child.drain()
        let mine = try child.existingObject(with: author.objectID)
        author.setValue("Eva", forKey: "name")
        try root.save()
        child.drain()
        #expect(mine.text("name") == "Eva")
        try coordinator.remove(coordinator.persistentStores[0])
        child.drain()
        #expect(mine.isFault)
    }

    @Test("saving from didSave(), as the message for nested saves says")
    func saveFromDidSave() async {
        await #expect(processExitsWith: .success) {
            let context = try Library.inMemory(Witness.model()).context()
            let object = try #require(context.make("Witness") as? Witness)
            object.onDidSave = {
                $0.onDidSave = nil
                $0.setValue(1, forKey: "count")
                try? context.save()
            }
            try context.save()
            guard !context.hasChanges else { fatalError("not saved") }
        }
    }

    @Test("a context without a queue cannot follow by itself")
    func confined() async {
        await #expect(processExitsWith: .failure) {
            NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
                .automaticallyMergesChangesFromParent = true
        }
    }

    @Test("a child's save over what another save deleted stops no parent that does not delete inaccessible faults")
    func inaccessibleAbove() async {
        await #expect(processExitsWith: .success) {
            let coordinator = try Library.inMemory()
            let (writer, parent) = (coordinator.context(), coordinator.context())
            parent.shouldDeleteInaccessibleFaults = false
            let author = writer.make("Author", ["name": "Ada"])
            try writer.save()
            let child = parent.makeChild()
            let mine = try child.existingObject(with: author.objectID)
            mine.setValue("Eva", forKey: "name")
            writer.delete(author)
            try writer.save()
            // It may throw 133000.
            try? child.save()
        }
    }
}
