import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Taking over what others saved. Line numbers are those of section (c) of the behaviour checklist.
@Suite("Conformance (c): merging")
struct MergeConformanceTests {
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext
    let other: NSManagedObjectContext
    let mine: NSManagedObject
    let theirs: NSManagedObject

    init() throws {
        coordinator = try Library.inMemory()
        context = coordinator.context()
        other = coordinator.context()
        theirs = other.make("Author", ["name": "Ada", "age": 36])
        try other.save()
        mine = try context.existingObject(with: theirs.objectID)
        _ = mine.value(forKey: "name")
    }

    private func mergeSave() throws {
        let did = Recorder(.NSManagedObjectContextDidSave, other)
        try other.save()
        context.mergeChanges(fromContextDidSave: try #require(did.notifications.first))
    }

    /// [H]
    @Test("c.1 a merge refreshes what was updated")
    func updated() throws {
        theirs.setValue("Eve", forKey: "name")
        try mergeSave()
        #expect(mine.value(forKey: "name") as? String == "Eve")
        #expect(!context.hasChanges)
    }

    /// [H]
    @Test("c.1 a merge makes what was inserted known")
    func inserted() throws {
        let new = other.make("Author", ["name": "New"])
        var seen: NSManagedObject?
        let watch = Watch(.NSManagedObjectContextObjectsDidChange, context) {
            seen = $0.objects(NSInsertedObjectsKey)?.first
        }
        try withExtendedLifetime(watch) { try mergeSave() }
        #expect(seen?.objectID == new.objectID)
        #expect(seen?.managedObjectContext === context)
        #expect(seen?.isInserted == false)
        #expect(seen?.value(forKey: "name") as? String == "New")
    }

    /// [H]
    @Test("c.1 a merge refreshes the members of a relationship that was changed")
    func relationship() throws {
        #expect((mine.value(forKey: "books") as? NSOrderedSet)?.count == 0)
        other.make("Book", ["title": "Notes"]).setValue(theirs, forKey: "author")
        try mergeSave()
        #expect((mine.value(forKey: "books") as? NSOrderedSet)?.count == 1)
    }

    /// The caller is on the receiver's queue, not on that of the context that saved. [H]
    @Test("c.1 a save is merged on the receiver's queue alone")
    func receiversQueue() throws {
        theirs.setValue("Eve", forKey: "name")
        let did = Recorder(.NSManagedObjectContextDidSave, other)
        try other.save()
        let notification = try #require(did.notifications.first)
        context.performAndWait { context.mergeChanges(fromContextDidSave: notification) }
        #expect(mine.value(forKey: "name") as? String == "Eve")
    }

    /// IDs, or their URIs, under the keys of objects or those of IDs. [H]
    @Test("c.2 a remote save is merged from IDs and from URIs", arguments: [true, false], [true, false])
    func remoteForms(usesURIs: Bool, usesIDKey: Bool) throws {
        theirs.setValue("Eve", forKey: "name")
        try other.save()
        let id = theirs.objectID
        let key = usesIDKey ? NSManagedObjectContext.NotificationKey.updatedObjectIDs.rawValue : NSUpdatedObjectsKey
        let value: [Any] = usesURIs ? [id.uriRepresentation()] : [id]
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [key: value], into: [context])
        #expect(mine.value(forKey: "name") as? String == "Eve")
    }

    /// [H]
    @Test("c.2 a remote save is merged into several contexts, a child before its parent in the list")
    func nested() throws {
        let child = context.makeChild()
        let followed = try child.existingObject(with: mine.objectID)
        theirs.setValue("Eve", forKey: "name")
        try other.save()
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSUpdatedObjectsKey: [theirs.objectID]], into: [child, context])
        #expect(mine.value(forKey: "name") as? String == "Eve")
        #expect(followed.value(forKey: "name") as? String == "Eve")
    }

    /// [H]
    @Test("c.2 a remote save's inserts and deletes are merged too")
    func remoteInsertAndDelete() throws {
        let new = other.make("Author")
        let id = theirs.objectID
        other.delete(theirs)
        try other.save()
        let change = Recorder(.NSManagedObjectContextObjectsDidChange, context)
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSInsertedObjectsKey: [new.objectID], NSDeletedObjectsKey: [id]], into: [context])
        #expect(mine.isDeleted)
        #expect(change.notifications.first?.objects(NSInsertedObjectsKey)?.map(\.objectID) == [new.objectID])
    }

    /// Another coordinator on the same file stands for another process: its IDs are other objects, and what it wrote is
    /// not in this coordinator's row cache. [H]
    @Test("c.2 a save of another coordinator is merged, by its IDs", arguments: [true, false])
    func otherCoordinator(isRemote: Bool) throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let (near, far) = (try Library.onDisk(directory), try Library.onDisk(directory))
        let (context, other) = (near.context(), far.context())
        let theirs = other.make("Author", ["name": "Ada"])
        try other.save()
        let mine = try #require(try context.all("Author").first)
        #expect(mine.value(forKey: "name") as? String == "Ada")
        theirs.setValue("Eve", forKey: "name")
        let did = Recorder(.NSManagedObjectContextDidSave, other)
        try other.save()
        if isRemote {
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [NSUpdatedObjectsKey: [theirs.objectID]], into: [context])
        } else {
            context.mergeChanges(fromContextDidSave: try #require(did.notifications.first))
        }
        #expect(mine.value(forKey: "name") as? String == "Eve")
    }

    /// [FCD]
    @Test("c.3 an object deleted elsewhere stays the same instance, is deleted, and is not fetched")
    func deletedElsewhere() throws {
        let id = mine.objectID
        other.delete(theirs)
        try mergeSave()
        #expect(context.registeredObject(for: id) === mine)
        #expect(mine.isDeleted)
        #expect(try context.all("Author").isEmpty)
        #expect(!context.hasChanges)
    }

    /// [K][CDP]
    @Test("c.4 a merge leaves local edits in place, and takes what else changed")
    func localEdits() throws {
        mine.setValue("Mine", forKey: "name")
        theirs.setValue("Theirs", forKey: "name")
        theirs.setValue(40, forKey: "age")
        try mergeSave()
        #expect(mine.value(forKey: "name") as? String == "Mine")
        #expect(mine.value(forKey: "age") as? Int == 40)
        #expect(mine.changedValues().keys.sorted() == ["name"])
        #expect(context.updatedObjects == [mine])
    }

    /// [K]
    @Test("c.4 a merge leaves members that were added here")
    func localMembers() throws {
        context.make("Book", ["title": "Mine"]).setValue(mine, forKey: "author")
        other.make("Book", ["title": "Theirs"]).setValue(theirs, forKey: "author")
        try mergeSave()
        let books = try #require(mine.value(forKey: "books") as? NSOrderedSet)
        let titles = books.compactMap { ($0 as? NSManagedObject)?.value(forKey: "title") as? String }
        #expect(Set(titles) == ["Mine", "Theirs"])
    }
}
