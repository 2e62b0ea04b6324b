import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// What a context tells while it works and saves. Line numbers are those of section (a) of the behaviour checklist.
@Suite("Conformance (a): notifications")
struct NotificationConformanceTests {
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext

    init() throws {
        coordinator = try Library.inMemory()
        context = coordinator.context()
    }

    /// Each of the five notifications is posted by the context, under Apple's name. [H]
    @Test("a.1 the five notifications have the context as their object")
    func names() throws {
        let recorders = [
            Notification.Name.NSManagedObjectContextWillSave, .NSManagedObjectContextDidSave,
            .NSManagedObjectContextObjectsDidChange, .NSManagedObjectContextDidSaveObjectIDs,
            .NSManagedObjectContextDidMergeChangesObjectIDs,
        ].map { Recorder($0, context) }
        let ada = context.make("Author", ["name": "Ada"])
        try context.save()
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSUpdatedObjectsKey: [ada.objectID]], into: [context])
        #expect(recorders.allSatisfy { !$0.notifications.isEmpty })
        #expect(recorders.flatMap(\.notifications).allSatisfy { $0.object as AnyObject? === context })
    }

    /// The new spelling of the names means the same notifications. [H]
    @Test("a.1 the context's own names are the same notifications")
    func ownNames() {
        #expect(NSManagedObjectContext.willSaveObjectsNotification == .NSManagedObjectContextWillSave)
        #expect(NSManagedObjectContext.didSaveObjectsNotification == .NSManagedObjectContextDidSave)
        #expect(NSManagedObjectContext.didChangeObjectsNotification == .NSManagedObjectContextObjectsDidChange)
        #expect(NSManagedObjectContext.didSaveObjectIDsNotification == .NSManagedObjectContextDidSaveObjectIDs)
        #expect(
            NSManagedObjectContext.didMergeChangesObjectIDsNotification
                == .NSManagedObjectContextDidMergeChangesObjectIDs)
    }

    /// Sets of objects, each under its key; no key without objects. [H]
    @Test("a.2 did-change has a set of objects for what happened, and no other keys")
    func didChangeKeys() throws {
        let (ada, bob) = (context.make("Author", ["name": "Ada"]), context.make("Author", ["name": "Bob"]))
        try context.save()
        let change = Recorder(.NSManagedObjectContextObjectsDidChange, context)
        let new = context.make("Author")
        ada.setValue("Eve", forKey: "name")
        context.delete(bob)
        context.processPendingChanges()
        let first = try #require(change.notifications.first)
        #expect(first.objects(NSInsertedObjectsKey) == [new])
        #expect(first.objects(NSUpdatedObjectsKey) == [ada])
        #expect(first.objects(NSDeletedObjectsKey) == [bob])
        #expect(first.keys == [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey])
    }

    /// [H]
    @Test("a.2 did-change has refreshed objects under their own key only")
    func refreshedKey() throws {
        let ada = context.make("Author", ["name": "Ada"])
        try context.save()
        let change = Recorder(.NSManagedObjectContextObjectsDidChange, context)
        context.refresh(ada, mergeChanges: false)
        context.processPendingChanges()
        let only = try #require(change.notifications.first)
        #expect(only.objects(NSRefreshedObjectsKey) == [ada])
        #expect(only.keys == [NSRefreshedObjectsKey])
    }

    /// The IDs of the second notification are those of the objects of the first. [H]
    @Test("a.3 did-save-object-IDs has the IDs of what did-save has")
    func didSaveIDs() throws {
        let (ada, bob) = (context.make("Author"), context.make("Author"))
        try context.save()
        let bobID = bob.objectID
        ada.setValue("Eve", forKey: "name")
        context.delete(bob)
        let new = context.make("Author")
        let did = Recorder(.NSManagedObjectContextDidSave, context)
        let didIDs = Recorder(.NSManagedObjectContextDidSaveObjectIDs, context)
        try context.save()
        let objects = try #require(did.notifications.first)
        #expect(objects.objects(NSInsertedObjectsKey) == [new])
        #expect(objects.objects(NSUpdatedObjectsKey) == [ada])
        #expect(objects.objects(NSDeletedObjectsKey) == [bob])
        let ids = try #require(didIDs.notifications.first)
        #expect(ids.ids(.insertedObjectIDs) == [new.objectID])
        #expect(ids.ids(.updatedObjectIDs) == [ada.objectID])
        #expect(ids.ids(.deletedObjectIDs) == [bobID])
    }

    /// A store in memory has no generations to tell of. [CDP]
    @Test("a.3 did-save has a query generation with a store on disk, and none in memory")
    func generation() throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        func token(_ coordinator: NSPersistentStoreCoordinator) throws -> Any? {
            let context = coordinator.context()
            let did = Recorder(.NSManagedObjectContextDidSave, context)
            _ = context.make("Author")
            try context.save()
            return did.notifications.first?.userInfo?[NSManagedObjectContextQueryGenerationKey]
        }
        #expect(try token(Library.onDisk(directory)) is NSQueryGenerationToken)
        #expect(try token(coordinator) == nil)
        let null = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        _ = try null.addPersistentStore(type: .sqlite, at: URL(fileURLWithPath: "/dev/null"))
        #expect(try token(null) == nil)
    }

    /// Apple's key has no name; applications use its text. [CDP]
    @Test("a.3 did-save has the history's token where the store's options ask for a history", arguments: [false, true])
    func historyToken(isTracked: Bool) throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let options = isTracked ? [NSPersistentHistoryTrackingKey: true] : nil
        let coordinator = try Library.onDisk(directory, options: options)
        let context = coordinator.context()
        let did = Recorder(.NSManagedObjectContextDidSave, context)
        _ = context.make("Author")
        try context.save()
        let token = did.notifications.first?.userInfo?["newChangeToken"] as? NSPersistentHistoryToken
        #expect(token == (isTracked ? coordinator.currentPersistentHistoryToken(fromStores: nil) : nil))
    }

    /// By the time of did-save, a root context's new objects have permanent IDs; a child's still have temporary ones.
    /// [CDP]
    @Test("a.3 inserted IDs are permanent in a root's did-save, temporary in a child's")
    func permanence() throws {
        func inserted(_ context: NSManagedObjectContext) throws -> Set<NSManagedObjectID> {
            let did = Recorder(.NSManagedObjectContextDidSaveObjectIDs, context)
            _ = context.make("Author")
            try context.save()
            return try #require(did.notifications.first?.ids(.insertedObjectIDs))
        }
        #expect(try inserted(context).allSatisfy { !$0.isTemporaryID })
        let child = context.makeChild()
        #expect(try inserted(child).allSatisfy(\.isTemporaryID))
    }

    /// Who hears will-save asks the context what is about to be saved. [K]
    @Test("a.4 will-save has no sets; the context has")
    func willSave() throws {
        let ada = context.make("Author")
        var seen: (keys: Set<String>, inserted: Set<NSManagedObject>)?
        let watch = Watch(.NSManagedObjectContextWillSave, context) { [context] in
            seen = ($0.keys, context.insertedObjects)
        }
        try withExtendedLifetime(watch) { try context.save() }
        #expect(seen?.keys == [])
        #expect(seen?.inserted == [ada])
    }

    /// Pending changes first, then the object's hook, the notification, and the same after the write. [CDP] The order
    /// of hook and notification is pinned here; sources do not settle it.
    @Test("a.5 a save is heard as change, will-save of the object, will-save, did-save of the object, did-save")
    func order() throws {
        let context = try Library.inMemory(Witness.model()).context()
        var heard: [String] = []
        let watches = [
            Watch(.NSManagedObjectContextObjectsDidChange, context) { _ in heard.append("change") },
            Watch(.NSManagedObjectContextWillSave, context) { _ in heard.append("will") },
            Watch(.NSManagedObjectContextDidSave, context) { _ in heard.append("did") },
        ]
        let witness = try #require(context.make("Witness") as? Witness)
        witness.onWillSave = { _ in heard.append("object will") }
        witness.onDidSave = { _ in heard.append("object did") }
        try withExtendedLifetime(watches) { try context.save() }
        #expect(heard == ["change", "object will", "will", "object did", "did"])
    }

    /// [CDP]
    @Test("a.6 a save with nothing to write posts did-save with no sets")
    func emptySave() throws {
        let did = Recorder(.NSManagedObjectContextDidSave, context)
        try context.save()
        #expect(did.notifications.count == 1)
        #expect(did.notifications.first?.keys.isSubset(of: [NSManagedObjectContextQueryGenerationKey]) == true)
    }

    /// [H]
    @Test("a.7 processPendingChanges posts did-change, once for what happened")
    func explicitFlush() {
        let change = Recorder(.NSManagedObjectContextObjectsDidChange, context)
        _ = context.make("Author")
        #expect(change.notifications.isEmpty)
        context.processPendingChanges()
        context.processPendingChanges()
        #expect(change.notifications.count == 1)
    }

    /// [H][CDP]
    @Test("a.7 the end of a perform block posts did-change")
    func performFlushes() {
        let change = Recorder(.NSManagedObjectContextObjectsDidChange, context)
        context.perform { [context] in _ = context.make("Author") }
        context.drain()
        #expect(change.notifications.count == 1)
    }

    /// [H][CDP]
    @Test("a.7 the end of an awaited perform block posts did-change before it returns")
    func awaitedPerformFlushes() async {
        let change = Recorder(.NSManagedObjectContextObjectsDidChange, context)
        await context.perform { [context] in _ = context.make("Author") }
        #expect(change.notifications.count == 1)
    }

    /// [CDP]
    @Test("a.7 performAndWait posts nothing by itself")
    func performAndWaitDoesNotFlush() {
        let change = Recorder(.NSManagedObjectContextObjectsDidChange, context)
        context.performAndWait { _ = context.make("Author") }
        #expect(change.notifications.isEmpty)
    }

    /// A run-loop turn of the main thread is a turn of the main queue here. [H]
    @MainActor
    @Test("a.7 a main-queue context posts did-change at the end of the main queue's turn")
    func mainQueueFlushes() async {
        let main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        main.persistentStoreCoordinator = coordinator
        let change = Recorder(.NSManagedObjectContextObjectsDidChange, main)
        _ = main.make("Author")
        #expect(change.notifications.isEmpty)
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
        #expect(change.notifications.count == 1)
    }

    /// [AD]
    @Test("a.8 a fetch posts nothing")
    func fetch() throws {
        _ = context.make("Author", ["name": "Ada"])
        try context.save()
        let reader = coordinator.context()
        let change = Recorder(.NSManagedObjectContextObjectsDidChange, reader)
        #expect(try reader.all("Author").first?.value(forKey: "name") as? String == "Ada")
        reader.processPendingChanges()
        #expect(change.notifications.isEmpty)
    }

    /// [CDP]
    @Test("a.8 two hundred inserts are one did-change")
    func manyInserts() {
        let change = Recorder(.NSManagedObjectContextObjectsDidChange, context)
        for _ in 0..<200 { _ = context.make("Author") }
        context.processPendingChanges()
        #expect(change.notifications.map { $0.objects(NSInsertedObjectsKey)?.count } == [200])
    }

    /// [AD]
    @Test("a.9 did-change is heard on the context's thread, before the call that posts it returns")
    func synchronous() {
        var threads: [Thread] = []
        let watch = Watch(.NSManagedObjectContextObjectsDidChange, context) { _ in threads.append(.current) }
        withExtendedLifetime(watch) {
            context.performAndWait {
                let here = Thread.current
                _ = context.make("Author")
                context.processPendingChanges()
                #expect(threads == [here])
            }
        }
    }

    /// However often changes were processed before. [CDP]
    @Test("a.10 a save posts one will-save and one did-save")
    func oneEach() throws {
        let will = Recorder(.NSManagedObjectContextWillSave, context)
        let did = Recorder(.NSManagedObjectContextDidSave, context)
        for _ in 0..<3 {
            _ = context.make("Author")
            context.processPendingChanges()
        }
        try context.save()
        #expect(will.notifications.count == 1)
        #expect(did.notifications.count == 1)
    }
}
