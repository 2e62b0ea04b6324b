import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Notes which snapshot events it is told of.
final class ConformanceWitness: NSManagedObject {
    var events: [NSSnapshotEventType] = []

    override func awake(fromSnapshotEvents flags: NSSnapshotEventType) { events.append(flags) }
}

/// Section (k): undo and rollback.
@Suite("Conformance (k): undo")
struct UndoConformanceTests {
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext

    init() throws {
        let nickname = ModelSketch.attribute("nickname")
        nickname.isTransient = true
        let author = ModelSketch.entity(
            "Author", [ModelSketch.attribute("name"), ModelSketch.attribute("city"), nickname])
        author.managedObjectClassName = "ConformanceWitness"
        coordinator = try Library.inMemory(ModelSketch.model(author))
        context = coordinator.context()
    }

    private func undoManager() -> UndoManager {
        let manager = UndoManager()
        manager.groupsByEvent = false
        context.undoManager = manager
        return manager
    }

    /// One step of the undo manager.
    private func step(_ body: () throws -> Void) rethrows {
        context.undoManager?.beginUndoGrouping()
        try body()
        context.processPendingChanges()
        context.undoManager?.endUndoGrouping()
    }

    private func savedAuthor(_ name: String = "Ada") throws -> ConformanceWitness {
        let author = try #require(context.make("Author", ["name": name]) as? ConformanceWitness)
        try context.save()
        author.events = []
        return author
    }

    /// [CDP] A context has none until it is given one.
    @Test("k.1 without an undo manager undo and redo do nothing, and rollback works")
    func withoutManager() throws {
        #expect(context.undoManager == nil)
        let author = try savedAuthor()
        author.setValue("Eve", forKey: "name")
        context.undo()
        context.redo()
        #expect(author.text("name") == "Eve")
        context.rollback()
        #expect(author.text("name") == "Ada")
    }

    /// [CDP] Changes, insertions and deletions alike.
    @Test("k.2 rollback discards everything since the last save")
    func rollback() throws {
        let author = try savedAuthor()
        let other = try savedAuthor("Bob")
        author.setValue("Eve", forKey: "name")
        context.delete(other)
        let new = context.make("Author", ["name": "New"])
        context.rollback()
        #expect(author.text("name") == "Ada")
        #expect(!other.isDeleted)
        #expect(new.managedObjectContext == nil)
        #expect(!context.hasChanges)
        #expect(try context.strings("Author", "name") == ["Ada", "Bob"])
    }

    /// [CDP] There is no way back from a rollback.
    @Test("k.2 rollback clears the undo stack, and cannot be redone")
    func rollbackClearsStack() throws {
        let manager = undoManager()
        let author = try #require(context.make("Author", ["name": "Ada"]) as? ConformanceWitness)
        step {}
        try context.save()
        step { author.setValue("Eve", forKey: "name") }
        step { author.setValue("Ida", forKey: "name") }
        context.undo()
        context.rollback()
        #expect(!manager.canUndo)
        #expect(!manager.canRedo)
        context.redo()
        #expect(author.text("name") == "Ada")
    }

    /// [CDP] What a change registers reaches the undo manager at the end of the event.
    @Test("k.4 undo is registered when pending changes are processed")
    func registration() throws {
        let author = try savedAuthor()
        let manager = undoManager()
        manager.beginUndoGrouping()
        author.setValue("Eve", forKey: "name")
        #expect(!manager.canUndo)
        context.processPendingChanges()
        #expect(manager.canUndo)
        manager.endUndoGrouping()
    }

    /// [H] The undo manager's checkpoint flushes what is pending into the group that closes.
    @Test("k.4 closing a group registers the changes that are pending")
    func checkpoint() throws {
        let author = try savedAuthor()
        let manager = undoManager()
        manager.beginUndoGrouping()
        author.setValue("Eve", forKey: "name")
        manager.endUndoGrouping()
        #expect(manager.canUndo)
        manager.undo()
        #expect(author.text("name") == "Ada")
    }

    /// [CDP] Process, disable, edit, process, enable.
    @Test("k.4 an edit between disabling and enabling registration is not undone")
    func disabled() throws {
        let author = try savedAuthor()
        let manager = undoManager()
        step { author.setValue("Eve", forKey: "name") }
        context.processPendingChanges()
        manager.disableUndoRegistration()
        author.setValue("Paris", forKey: "city")
        context.processPendingChanges()
        manager.enableUndoRegistration()
        context.undo()
        #expect(author.text("name") == "Ada")
        #expect(author.text("city") == "Paris")
    }

    /// [H] On a context's queue there is no run loop that would end the event.
    @Test("k.4 on a private queue each perform is an event, and one step of an undo manager that groups by event")
    func groupsByEvent() async throws {
        let context = context
        await context.perform { context.undoManager = UndoManager() }
        let id = try await context.perform {
            let author = context.make("Author", ["name": "Ada"])
            try context.save()
            return author
        }.objectID
        await context.perform { context.object(with: id).setValue("Eve", forKey: "name") }
        await context.perform { context.object(with: id).setValue("Ida", forKey: "name") }
        let name = await context.perform {
            context.undo()
            return context.object(with: id).text("name")
        }
        #expect(name == "Eve")
    }

    /// [H] Nothing of the time before is left to undo.
    @Test("k.3 reset forgets everything, undo steps too")
    func reset() throws {
        let manager = undoManager()
        let author = context.make("Author", ["name": "Ada"])
        step {}
        try context.save()
        step { author.setValue("Eve", forKey: "name") }
        author.setValue("Paris", forKey: "city")
        context.reset()
        #expect(!manager.canUndo)
        #expect(!context.hasChanges)
        #expect(context.registeredObjects.isEmpty)
        context.undo()
        #expect(try context.strings("Author", "name") == ["Ada"])
    }

    /// [H] Values that no store keeps are undone like others.
    @Test("k.3 undo covers transient properties")
    func transient() throws {
        let author = try savedAuthor()
        _ = undoManager()
        step { author.setValue("Countess", forKey: "nickname") }
        context.undo()
        #expect(author.text("nickname") == nil)
        context.redo()
        #expect(author.text("nickname") == "Countess")
    }

    /// [H] The object hears what kind of undo changed it.
    @Test("k.3 awake(fromSnapshotEvents:) tells an undone insertion, deletion and update, and a rollback, apart")
    func events() throws {
        let author = try savedAuthor()
        _ = undoManager()
        step { author.setValue("Eve", forKey: "name") }
        context.undo()
        #expect(author.events == [.undoUpdate])
        author.events = []
        step { context.delete(author) }
        context.undo()
        #expect(author.events == [.undoDeletion])
        author.events = []
        author.setValue("Eve", forKey: "name")
        context.rollback()
        #expect(author.events == [.rollback])
        var new: ConformanceWitness?
        step { new = context.make("Author") as? ConformanceWitness }
        context.undo()
        #expect(new?.events == [.undoInsertion])
    }

    /// [H] Undo does not stop at a save: what was saved is taken back by another save.
    @Test("k.5 a saved change can be undone, and the undo saved")
    func acrossSaves() throws {
        let author = try savedAuthor()
        _ = undoManager()
        step { author.setValue("Eve", forKey: "name") }
        try context.save()
        context.undo()
        #expect(author.text("name") == "Ada")
        #expect(context.hasChanges)
        try context.save()
        #expect(try coordinator.context().strings("Author", "name") == ["Ada"])
    }

    /// [H] As above, for a deletion: the object has no row any more, and gets a new one.
    @Test("k.5 a saved deletion can be undone, and the undo saved")
    func deletionAcrossSaves() throws {
        let author = try savedAuthor()
        _ = undoManager()
        step { context.delete(author) }
        try context.save()
        context.undo()
        #expect(author.isInserted)
        try context.save()
        #expect(try coordinator.context().strings("Author", "name") == ["Ada"])
    }

    /// [H] Both kinds of relationship come back with the object.
    @Test("k.5 a saved deletion that is undone brings the relationships back")
    func relationshipsAcrossSaves() throws {
        let coordinator = try Library.inMemory()
        let context = coordinator.context()
        let ada = context.make("Author", ["name": "Ada"])
        let tag = context.make("Tag", ["label": "red"])
        let book = context.make("Book", ["title": "Notes", "author": ada, "tags": Set([tag])])
        try context.save()
        let manager = UndoManager()
        manager.groupsByEvent = false
        context.undoManager = manager
        manager.beginUndoGrouping()
        context.delete(book)
        manager.endUndoGrouping()
        try context.save()
        context.undo()
        try context.save()
        let reader = coordinator.context()
        let stored = try #require(try reader.all("Book").first)
        #expect((stored.value(forKey: "author") as? NSManagedObject)?.text("name") == "Ada")
        #expect((stored.value(forKey: "tags") as? NSSet)?.count == 1)
        withExtendedLifetime(reader) {}
    }
}
