import Firn
import FirnModel
import Foundation
import StoreSupport
import Synchronization
import TestSupport
import Testing

/// What contexts tell when changes come from elsewhere, or from hooks. Line numbers are those of section (a).
@Suite("Conformance (a): notifications of resets, merges, children and hooks")
struct ChangeFlowConformanceTests {
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext
    let other: NSManagedObjectContext

    init() throws {
        coordinator = try Library.inMemory()
        context = coordinator.context()
        other = coordinator.context()
    }

    /// `other` makes and saves an author that `context` holds, realized.
    private func shared(_ name: String) throws -> (mine: NSManagedObject, theirs: NSManagedObject) {
        let theirs = other.make("Author", ["name": name])
        try other.save()
        // One that follows merges on its queue, at the same time as what comes next.
        context.drain()
        let mine = try context.existingObject(with: theirs.objectID)
        context.processPendingChanges()
        return (mine, theirs)
    }

    /// What `context` posts, under a name, when it merges the save of `other`.
    private func heard(_ name: Notification.Name = .NSManagedObjectContextObjectsDidChange) throws -> [Notification] {
        let did = Recorder(.NSManagedObjectContextDidSave, other)
        try other.save()
        let recorder = Recorder(name, context)
        context.mergeChanges(fromContextDidSave: try #require(did.notifications.first))
        return recorder.notifications
    }

    /// The IDs are an array. [CDP][H]
    @Test("a.11 reset tells the IDs of all it forgot, and nothing else")
    func reset() throws {
        let (mine, _) = try shared("Ada")
        let id = mine.objectID
        _ = context.make("Author")
        let change = Recorder(.NSManagedObjectContextObjectsDidChange, context)
        context.reset()
        #expect(change.notifications.map(\.keys) == [[NSInvalidatedAllObjectsKey]])
        let ids = change.notifications.first?.userInfo?[NSInvalidatedAllObjectsKey] as? [NSManagedObjectID]
        #expect(ids?.contains(id) == true)
    }

    /// [CDP]
    @Test("a.11 refreshAllObjects tells that all registered objects were refreshed")
    func refreshAll() throws {
        let (first, second) = (try shared("Ada").mine, try shared("Bob").mine)
        first.setValue("Eve", forKey: "name")
        context.processPendingChanges()
        let change = Recorder(.NSManagedObjectContextObjectsDidChange, context)
        context.refreshAllObjects()
        #expect(change.notifications.first?.objects(NSRefreshedObjectsKey) == [first, second])
    }

    /// Never `updated`: this context changed nothing. [CDP]
    @Test("a.12 a merge tells inserts as inserted, updates as refreshed, deletes as deleted")
    func mergeKeys() throws {
        let (ada, bob) = (try shared("Ada"), try shared("Bob"))
        ada.theirs.setValue("Eve", forKey: "name")
        other.delete(bob.theirs)
        let new = other.make("Author")
        let notification = try #require(try heard().first)
        #expect(notification.objects(NSInsertedObjectsKey)?.map(\.objectID) == [new.objectID])
        #expect(notification.objects(NSRefreshedObjectsKey) == [ada.mine])
        #expect(notification.objects(NSDeletedObjectsKey) == [bob.mine])
        #expect(notification.keys == [NSInsertedObjectsKey, NSRefreshedObjectsKey, NSDeletedObjectsKey])
    }

    /// [CDP]
    @Test("a.12 did-merge-changes has updates both as updated and as refreshed")
    func mergeIDs() throws {
        let (ada, bob) = (try shared("Ada"), try shared("Bob"))
        for object in [ada.theirs, bob.theirs] { object.setValue("Eve", forKey: "name") }
        _ = other.make("Author")
        let notification = try #require(try heard(.NSManagedObjectContextDidMergeChangesObjectIDs).first)
        #expect(notification.ids(.insertedObjectIDs)?.count == 1)
        #expect(notification.ids(.updatedObjectIDs) == [ada.mine.objectID, bob.mine.objectID])
        #expect(notification.ids(.refreshedObjectIDs) == [ada.mine.objectID, bob.mine.objectID])
    }

    /// [CDP]
    @Test("a.13 a merge of a new object is always told")
    func mergedInsert() throws {
        _ = other.make("Author")
        #expect(try heard().map(\.keys) == [[NSInsertedObjectsKey]])
    }

    /// [CDP]
    @Test("a.13 a merge of a deletion is told if the object is held here, as a fault too", arguments: [true, false])
    func mergedDeletion(isHeld: Bool) throws {
        let theirs = other.make("Author")
        try other.save()
        let mine = isHeld ? context.object(with: theirs.objectID) : nil
        other.delete(theirs)
        let keys = try heard().map(\.keys)
        #expect(keys == (isHeld ? [[NSDeletedObjectsKey]] : []))
        withExtendedLifetime(mine) {}
    }

    /// [CDP]
    @Test("a.13 a merge of a change is told if the object is held here and is no fault", arguments: [true, false])
    func mergedUpdate(isFault: Bool) throws {
        let theirs = other.make("Author", ["name": "Ada"])
        try other.save()
        let mine = context.object(with: theirs.objectID)
        if !isFault { _ = mine.value(forKey: "name") }
        theirs.setValue("Eve", forKey: "name")
        #expect(try heard().map(\.keys) == (isFault ? [] : [[NSRefreshedObjectsKey]]))
        #expect(mine.value(forKey: "name") as? String == "Eve")
    }

    /// The parent's save is another matter. [CDP]
    @Test("a.14 a child's save is a change of its parent, and no save of it")
    func childSave() throws {
        let (mine, _) = try shared("Ada")
        let child = context.makeChild()
        try child.existingObject(with: mine.objectID).setValue("Eve", forKey: "name")
        let new = child.make("Author")
        let change = Recorder(.NSManagedObjectContextObjectsDidChange, context)
        let did = Recorder(.NSManagedObjectContextDidSave, context)
        try child.save()
        #expect(context.hasChanges)
        #expect(change.notifications.count == 1)
        #expect(change.notifications.first?.objects(NSUpdatedObjectsKey) == [mine])
        #expect(change.notifications.first?.objects(NSInsertedObjectsKey)?.map(\.objectID) == [new.objectID])
        #expect(did.notifications.isEmpty)
        try context.save()
        #expect(did.notifications.count == 1)
    }

    /// [AD]
    @Test("a.15 willSave is called again after it changed its object, until it does not")
    func willSaveUntilStable() throws {
        let coordinator = try Library.inMemory(Witness.model())
        let context = coordinator.context()
        let witness = try #require(context.make("Witness") as? Witness)
        var calls = 0
        witness.onWillSave = {
            calls += 1
            let count = $0.value(forKey: "count") as? Int ?? 0
            if count < 3 { $0.setValue(count + 1, forKey: "count") }
        }
        try context.save()
        #expect(calls == 4)
        let reader = coordinator.context()
        defer { withExtendedLifetime(reader) {} }
        #expect(try reader.all("Witness").first?.value(forKey: "count") as? Int == 3)
    }

    /// Core Data goes on for ever; here the save fails, and nothing is written. [AD]
    @Test("a.15 a willSave that always changes its object fails the save")
    func endlessWillSave() throws {
        let coordinator = try Library.inMemory(Witness.model())
        let context = coordinator.context()
        let witness = try #require(context.make("Witness") as? Witness)
        witness.onWillSave = { $0.setValue(($0.value(forKey: "count") as? Int ?? 0) + 1, forKey: "count") }
        #expect(throws: NSError.self) { try context.save() }
        #expect(try coordinator.context().all("Witness").isEmpty)
        #expect(witness.isInserted)
    }

    /// [AD][MIO]
    @Test("a.15 a primitive value set in willSave is saved, and willSave not called for it again")
    func primitiveInWillSave() throws {
        let coordinator = try Library.inMemory(Witness.model())
        let context = coordinator.context()
        let witness = try #require(context.make("Witness") as? Witness)
        var calls = 0
        witness.onWillSave = {
            calls += 1
            $0.setPrimitiveValue(calls, forKey: "count")
        }
        try context.save()
        #expect(calls == 1)
        let reader = coordinator.context()
        defer { withExtendedLifetime(reader) {} }
        #expect(try reader.all("Witness").first?.value(forKey: "count") as? Int == 1)
    }

    /// [AD]
    @Test("a.15 a deleted object hears willSave and didSave")
    func hooksOfDeleted() throws {
        let context = try Library.inMemory(Witness.model()).context()
        let witness = try #require(context.make("Witness") as? Witness)
        try context.save()
        var heard: [String] = []
        witness.onWillSave = { heard.append("will \($0.isDeleted)") }
        witness.onDidSave = { _ in heard.append("did") }
        context.delete(witness)
        try context.save()
        #expect(heard == ["will true", "did"])
    }

    /// [H]
    @Test("a.16 nothing is merged by itself unless asked for")
    func noAutomaticMerge() throws {
        #expect(!context.automaticallyMergesChangesFromParent)
        let (mine, theirs) = try shared("Ada")
        theirs.setValue("Eve", forKey: "name")
        try other.save()
        context.drain()
        #expect(mine.value(forKey: "name") as? String == "Ada")
    }

    /// The child knows the object from before the save, when it was new in the parent. [K]
    @Test("a.16 a child that follows has what its parent changed in a new object before it saved it")
    func automaticMergeOfNewObject() throws {
        let child = context.makeChild()
        child.automaticallyMergesChangesFromParent = true
        let ada = context.make("Author", ["name": "Ada"])
        context.processPendingChanges()
        let mine = child.object(with: ada.objectID)
        #expect(mine.text("name") == "Ada")
        ada.setValue("Eve", forKey: "name")
        try context.save()
        child.drain()
        #expect(mine.text("name") == "Eve")
        #expect(mine.objectID == ada.objectID)
    }

    /// [H][CDP]
    @Test("a.16 a root that follows has what another context of its coordinator saved")
    func automaticMergeOfRoot() throws {
        context.automaticallyMergesChangesFromParent = true
        let (mine, theirs) = try shared("Ada")
        theirs.setValue("Eve", forKey: "name")
        try other.save()
        context.drain()
        #expect(mine.value(forKey: "name") as? String == "Eve")
    }

    /// Whether it was told to before or after it got its parent. [H][CDP]
    @Test("a.16 a child that follows has what its parent saved", arguments: [true, false])
    func automaticMergeOfChild(isSetFirst: Bool) throws {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        if isSetFirst { child.automaticallyMergesChangesFromParent = true }
        child.parent = context
        if !isSetFirst { child.automaticallyMergesChangesFromParent = true }
        let ada = context.make("Author", ["name": "Ada"])
        try context.save()
        child.drain()
        let mine = try child.existingObject(with: ada.objectID)
        #expect(mine.value(forKey: "name") as? String == "Ada")
        ada.setValue("Eve", forKey: "name")
        try context.save()
        child.drain()
        #expect(mine.value(forKey: "name") as? String == "Eve")
    }

    /// What a context follows is its parent's save. A public suite relies on it. [H]
    @Test("a.16 a child that follows has what its sibling saved once their parent saves, and not before")
    func automaticMergeOfSibling() throws {
        let (mine, _) = try shared("Ada")
        let (child, sibling) = (context.makeChild(), context.makeChild())
        child.automaticallyMergesChangesFromParent = true
        let followed = try child.existingObject(with: mine.objectID)
        try sibling.existingObject(with: mine.objectID).setValue("Eve", forKey: "name")
        try sibling.save()
        child.drain()
        #expect(followed.value(forKey: "name") as? String == "Ada")
        try context.save()
        child.drain()
        #expect(followed.value(forKey: "name") as? String == "Eve")
    }

    /// The parent merges first, for the child reads through it. [H]
    @Test("a.16 what a following parent merges, its following child merges after it")
    func automaticMergeOfGrandchild() throws {
        let (mine, theirs) = try shared("Ada")
        let child = context.makeChild()
        context.automaticallyMergesChangesFromParent = true
        child.automaticallyMergesChangesFromParent = true
        let followed = try child.existingObject(with: mine.objectID)
        theirs.setValue("Eve", forKey: "name")
        try other.save()
        context.drain()
        child.drain()
        #expect(followed.value(forKey: "name") as? String == "Eve")
    }

    /// Swift's observers cannot throw; what they change is kept, and is the next event. [I]
    @Test("a.17 what an observer of did-save changes is not lost")
    func changingObserver() throws {
        let ada = context.make("Author", ["name": "Ada"])
        var isFirst = true
        let watch = Watch(.NSManagedObjectContextDidSave, context) { _ in
            if isFirst { ada.setValue("Eve", forKey: "name") }
            isFirst = false
        }
        try withExtendedLifetime(watch) {
            try context.save()
            #expect(context.updatedObjects == [ada])
            try context.save()
        }
        #expect(try other.strings("Author", "name") == ["Eve"])
    }

    /// Code that waits for the notification of a save may rely on it.
    @Test("a.16 a following context's merge is on its queue when a save is notified")
    func mergeBeforeNotification() throws {
        let (mine, theirs) = try shared("Ada")
        _ = mine.value(forKey: "name")
        context.automaticallyMergesChangesFromParent = true
        let names = Mutex<[String]>([])
        let watching = context
        nonisolated(unsafe) let watched = mine
        let observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: other, queue: nil
        ) { _ in
            let name = watching.performAndWait { watched.value(forKey: "name") as? String }
            names.withLock { $0.append(name ?? "nil") }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        theirs.setValue("Eve", forKey: "name")
        try other.save()
        #expect(names.withLock { $0 } == ["Eve"])
    }

    /// The block that a caller waits for has released what it captured.
    @Test("A block of perform is released before the caller continues")
    func releasedBlock() async throws {
        for _ in 0..<100 {
            weak var captured: Captured?
            do {
                let object = Captured()
                captured = object
                await context.perform { withExtendedLifetime(object) {} }
                await coordinator.perform { withExtendedLifetime(object) {} }
            }
            #expect(captured == nil)
        }
    }
}

/// A value that a block captures.
private final class Captured: Sendable {}
