import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Two contexts on one store")
struct MergingTests {
    let coordinator: NSPersistentStoreCoordinator
    let first: NSManagedObjectContext
    let second: NSManagedObjectContext
    let reader: NSManagedObjectContext
    let mine: NSManagedObject
    let theirs: NSManagedObject

    init() throws {
        coordinator = try Library.inMemory()
        first = coordinator.context()
        second = coordinator.context()
        reader = coordinator.context()
        mine = first.make("Author", ["name": "Ada", "age": 36])
        try first.save()
        theirs = try second.existingObject(with: mine.objectID)
        _ = theirs.value(forKey: "name")
    }

    /// `theirs` saves name and age; `mine` has another name unsaved, then saves under `policy`.
    private func collide(_ policy: NSMergePolicy) throws -> (name: String?, age: Int?) {
        theirs.setValue("Theirs", forKey: "name")
        theirs.setValue(40, forKey: "age")
        try second.save()
        mine.setValue("Mine", forKey: "name")
        first.mergePolicy = policy
        try first.save()
        let stored = try reader.existingObject(with: mine.objectID)
        #expect(stored.value(forKey: "name") as? String == mine.value(forKey: "name") as? String)
        #expect(stored.value(forKey: "age") as? Int == mine.value(forKey: "age") as? Int)
        return (stored.value(forKey: "name") as? String, stored.value(forKey: "age") as? Int)
    }

    @Test("a merge brings the values of several objects, also if no row fits into the cache")
    func withoutCache() throws {
        let directory = try TemporaryDirectory()
        let coordinator = try Library.onDisk(
            directory, options: [PersistentStoreRowCacheSizeOption: NSNumber(value: 0)])
        let (here, there) = (coordinator.context(), coordinator.context())
        for age in 1...3 { _ = there.make("Author", ["age": age]) }
        try there.save()
        let held = try here.all("Author", sortedBy: "age")
        #expect(held.map { $0.number("age") } == [1, 2, 3])
        let saves = Recorder(.NSManagedObjectContextDidSave, there)
        for author in try there.all("Author") { author.setValue(10 + (author.number("age") ?? 0), forKey: "age") }
        try there.save()
        saves.notifications.forEach(here.mergeChanges)
        #expect(held.map { $0.number("age") } == [11, 12, 13])
        #expect(held.allSatisfy { !$0.isDeleted })
    }

    @Test("the error policy fails the save with the conflict, and changes nothing")
    func errorPolicy() throws {
        let error = #expect(throws: NSError.self) { try self.collide(.error) }
        #expect(error?.code == NSManagedObjectMergeError)
        let conflicts = error?.userInfo["conflictList"] as? [NSMergeConflict]
        #expect(conflicts?.first?.sourceObject === mine)
        #expect(mine.value(forKey: "name") as? String == "Mine")
        let stored = try reader.existingObject(with: mine.objectID)
        #expect(stored.value(forKey: "name") as? String == "Theirs")
    }

    @Test("store trump keeps the store's value of what both changed")
    func storeTrump() throws {
        #expect(try collide(.mergeByPropertyStoreTrump) == ("Theirs", 40))
    }

    @Test("object trump keeps the object's value of what both changed")
    func objectTrump() throws {
        #expect(try collide(.mergeByPropertyObjectTrump) == ("Mine", 40))
    }

    @Test("overwrite writes the whole object")
    func overwrite() throws {
        #expect(try collide(.overwrite) == ("Mine", 36))
    }

    @Test("rollback drops the object's changes")
    func rollback() throws {
        #expect(try collide(.rollback) == ("Theirs", 40))
    }

    @Test("no conflict where different objects changed")
    func noConflict() throws {
        _ = second.make("Author", ["name": "Bob"])
        try second.save()
        mine.setValue("Mine", forKey: "name")
        try first.save()
        #expect(try coordinator.context().strings("Author", "name") == ["Mine", "Bob"])
    }

    @Test("merging a save refreshes what changed and keeps local edits")
    func mergeKeepsEdits() throws {
        mine.setValue("Mine", forKey: "name")
        theirs.setValue(40, forKey: "age")
        let token = Recorder(.NSManagedObjectContextDidSave, second)
        try second.save()
        first.mergeChanges(fromContextDidSave: try #require(token.notifications.first))
        #expect(mine.value(forKey: "age") as? Int == 40)
        #expect(mine.value(forKey: "name") as? String == "Mine")
        try first.save()
        #expect(try coordinator.context().strings("Author", "name") == ["Mine"])
    }

    @Test("a merge that names a moved member only tells both its owners")
    func movedMember() throws {
        let (eva, notes) = (first.make("Author", ["name": "Eva"]), first.make("Book", ["title": "Notes"]))
        notes.setValue(mine, forKey: "author")
        try first.save()
        #expect(mine.books == [notes])
        #expect(eva.books.isEmpty)
        second.refreshAllObjects()
        second.object(with: notes.objectID).setValue(second.object(with: eva.objectID), forKey: "author")
        try second.save()
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSUpdatedObjectsKey: [notes.objectID]], into: [first])
        #expect(mine.books.isEmpty)
        #expect(eva.books == [notes])
    }

    @Test("a merged deletion that another save has taken back since leaves the object, and its local edits")
    func deletionTakenBack() throws {
        let third = coordinator.context()
        let winning = try third.existingObject(with: mine.objectID)
        winning.setValue(50, forKey: "age")
        mine.setValue("Mine", forKey: "name")
        second.delete(theirs)
        let deletion = try #require(try second.saveNotification())
        third.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try third.save()
        first.mergeChanges(fromContextDidSave: deletion)
        #expect(!mine.isDeleted)
        #expect(mine.text("name") == "Mine")
        #expect(mine.number("age") == 50)
    }

    @Test("a merged deletion that another save has taken back since leaves a fault, whose later edits are saved")
    func deletionOfFaultTakenBack() throws {
        let third = coordinator.context()
        let winning = try third.existingObject(with: mine.objectID)
        winning.setValue(50, forKey: "age")
        first.refresh(mine, mergeChanges: false)
        second.delete(theirs)
        let deletion = try #require(try second.saveNotification())
        third.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try third.save()
        first.mergeChanges(fromContextDidSave: deletion)
        mine.setValue("Mine", forKey: "name")
        try first.save()
        #expect(try reader.existingObject(with: mine.objectID).text("name") == "Mine")
    }

    @Test("what another save leads to an object that it wrote again stays so where only the deletion was merged")
    func writtenAgain() throws {
        let notes = first.make("Book", ["title": "Notes"])
        try first.save()
        let third = coordinator.context()
        let winning = try third.existingObject(with: mine.objectID)
        winning.setValue(50, forKey: "age")
        third.object(with: notes.objectID).setValue(winning, forKey: "author")
        second.delete(theirs)
        let deletion = try #require(try second.saveNotification())
        first.mergeChanges(fromContextDidSave: deletion)
        #expect(mine.isDeleted)
        third.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try third.save()
        notes.setValue(7, forKey: "pages")
        first.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        try first.save()
        let stored = try reader.existingObject(with: notes.objectID)
        #expect(stored.number("pages") == 7)
        #expect((stored.value(forKey: "author") as? NSManagedObject)?.objectID == mine.objectID)
    }

    @Test("a fetch finds what another save wrote again after its deletion was merged, and edits of it are saved")
    func fetchedAgain() throws {
        let third = coordinator.context()
        let winning = try third.existingObject(with: mine.objectID)
        winning.setValue(50, forKey: "age")
        second.delete(theirs)
        first.mergeChanges(fromContextDidSave: try #require(try second.saveNotification()))
        third.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try third.save()
        #expect(try first.all("Author") == [mine])
        #expect(!mine.isDeleted)
        mine.setValue("Mine", forKey: "name")
        try first.save()
        #expect(try reader.strings("Author", "name") == ["Mine"])
    }

    @Test("an object whose deletion was merged is new once it is inserted again")
    func mergedDeletionInsertedAgain() throws {
        second.delete(theirs)
        first.mergeChanges(fromContextDidSave: try #require(try second.saveNotification()))
        first.insert(mine)
        #expect(!mine.isDeleted)
        try first.save()
        #expect(try reader.strings("Author", "name") == ["Ada"])
    }

    @Test("a merged deletion marks the object and hides it from fetches")
    func mergeDeletion() throws {
        second.delete(theirs)
        let token = Recorder(.NSManagedObjectContextDidSave, second)
        try second.save()
        first.mergeChanges(fromContextDidSave: try #require(token.notifications.first))
        #expect(mine.isDeleted)
        #expect(try first.all("Author").isEmpty)
        #expect(!first.hasChanges)
    }
}

/// Notifications of one name and object, in order.
final class Recorder: @unchecked Sendable {
    private(set) var notifications: [Notification] = []
    private var token: (any NSObjectProtocol)?

    init(_ name: Notification.Name, _ object: AnyObject?) {
        token = NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) {
            [weak self] in self?.notifications.append($0)
        }
    }

    deinit { if let token { NotificationCenter.default.removeObserver(token) } }
}
