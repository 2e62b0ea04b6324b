import Firn
import FirnModel
import Foundation
import StoreSupport
import Testing

/// Section (a): main-queue contexts where nothing but the tests' own runner serves the main queue.
@Suite("Conformance (a): main-queue contexts without a run loop")
struct MainQueueConformanceTests {
    private let coordinator: NSPersistentStoreCoordinator
    private let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)

    init() throws {
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: Witness.model())
        _ = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        context.persistentStoreCoordinator = coordinator
    }

    private func count() throws -> Int {
        try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Witness"))
    }

    @Test("a.19 on the main queue it is used directly, and waiting for it does not wait for the queue")
    @MainActor
    func onMainQueue() throws {
        context.performAndWait {
            dispatchPrecondition(condition: .onQueue(.main))
            context.performAndWait { _ = context.make("Witness") }
        }
        try context.save()
        #expect(try count() == 1)
    }

    @Test("a.19 blocks of other threads run on the main queue")
    func fromElsewhere() async throws {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<10 {
                group.addTask { [context] in
                    await context.perform {
                        dispatchPrecondition(condition: .onQueue(.main))
                        _ = context.make("Witness")
                    }
                }
            }
        }
        let count = try await context.perform {
            try context.save()
            return try self.count()
        }
        #expect(count == 10)
    }

    @Test("a.19 pending changes that no turn of the queue processes are processed when that is asked for")
    @MainActor
    func pendingChanges() {
        let change = Recorder(.NSManagedObjectContextObjectsDidChange, context)
        _ = context.make("Witness")
        #expect(change.notifications.isEmpty)
        context.processPendingChanges()
        #expect(change.notifications.count == 1)
    }

    /// [S] A public suite saves on the main thread, and fetches in the same turn of the main queue.
    @Test(
        "a.16 a fetch has what was saved on the main thread before, without a turn of the main queue",
        arguments: [true, false])
    @MainActor
    func mergeBeforeFetch(isCounted: Bool) throws {
        context.automaticallyMergesChangesFromParent = true
        let mine = context.make("Witness", ["count": 1])
        try context.save()
        #expect(mine.value(forKey: "count") as? Int == 1)
        let other = coordinator.context()
        try other.performAndWait {
            try other.existingObject(with: mine.objectID).setValue(7, forKey: "count")
            try other.save()
        }
        if isCounted {
            #expect(try count() == 1)
        } else {
            #expect(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Witness")) == [mine])
        }
        #expect(mine.value(forKey: "count") as? Int == 7)
    }

    /// A fetch in a hook of a save finds the objects as they are being saved.
    @Test("a.16 a fetch during the context's own save merges nothing")
    @MainActor
    func noMergeWhileSaving() throws {
        context.automaticallyMergesChangesFromParent = true
        let mine = context.make("Witness", ["count": 1])
        let saved = try #require(context.make("Witness") as? Witness)
        try context.save()
        #expect(mine.value(forKey: "count") as? Int == 1)
        var counted: Int?
        saved.onWillSave = { _ in
            if counted != nil { return }
            let other = self.coordinator.context()
            try? other.performAndWait {
                try other.existingObject(with: mine.objectID).setValue(7, forKey: "count")
                try other.save()
            }
            _ = try? self.count()
            counted = mine.value(forKey: "count") as? Int
        }
        saved.setValue(1, forKey: "count")
        try context.save()
        #expect(counted == 1)
        #expect(try count() == 2 && mine.value(forKey: "count") as? Int == 7)
    }
}
