import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Section (a): the notifications of main-queue contexts as typed messages, and of all contexts as values.
@Suite("Conformance (a): messages and events")
struct MessageConformanceTests {
    @MainActor
    private static func makeContext(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(.mainQueue)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    #if compiler(>=6.3)
    /// [AD] Each message has what the notification has, once, before the call returns.
    @Test("a.18 a main-queue context tells changes, saves and the IDs of saves as typed messages")
    @MainActor
    func messages() throws {
        let directory = try TemporaryDirectory()
        let context = Self.makeContext(try Library.onDisk(directory))
        var told: [String] = []
        var generation: NSQueryGenerationToken?
        let center = NotificationCenter.default
        let observers = [
            center.addObserver(of: context, for: NSManagedObjectContext.ObjectsDidChangeMessage.self) {
                told.append("changed \($0.inserted.count) \($0.updated.count) \($0.invalidatedAll ?? false)")
            },
            center.addObserver(of: context, for: NSManagedObjectContext.WillSaveMessage.self) {
                told.append("will save \($0.context.insertedObjects.count)")
            },
            center.addObserver(of: context, for: NSManagedObjectContext.DidSaveMessage.self) {
                told.append("saved \($0.inserted.count)")
                generation = $0.queryGeneration
            },
            center.addObserver(of: context, for: NSManagedObjectContext.DidSaveObjectIDsMessage.self) {
                told.append("saved IDs \($0.insertedIDs.count) \($0.insertedIDs.first?.isTemporaryID ?? true)")
            },
        ]
        _ = context.make("Author", ["name": "Ada"])
        try context.save()
        context.reset()
        #expect(
            told == ["changed 1 0 false", "will save 1", "saved 1", "saved IDs 1 false", "changed 0 0 true"])
        #expect(generation != nil)
        observers.forEach(center.removeObserver)
    }
    #endif

    /// The main queue need not be on the main thread; waiting for it from itself would be for ever.
    @Test("a main-queue context is on its queue wherever the main actor runs")
    @MainActor
    func onQueue() async throws {
        let context = Self.makeContext(try Library.inMemory())
        await Task.yield()
        var count = 0
        context.performAndWait { count += 1 }
        await context.perform { context.performAndWait {} }
        #expect(count == 1)
    }

    #if compiler(>=6.3)
    @Test("a.18 a context of another queue sends no messages")
    @MainActor
    func otherQueue() throws {
        let context = try Library.inMemory().context()
        var count = 0
        let observer = NotificationCenter.default.addObserver(
            of: context, for: NSManagedObjectContext.DidSaveMessage.self
        ) { _ in count += 1 }
        _ = context.make("Author")
        try context.save()
        #expect(count == 0)
        NotificationCenter.default.removeObserver(observer)
    }
    #endif

    /// Ours: the same for every context, as values of IDs that may go anywhere.
    @Test("a context's changes, saves and merges can be awaited as values")
    func events() async throws {
        let coordinator = try Library.inMemory()
        let (first, second) = (coordinator.context(), coordinator.context())
        var saves = first.events([.saved]).makeAsyncIterator()
        var merges = second.events([.merged]).makeAsyncIterator()
        var changes = first.events([.changed]).makeAsyncIterator()
        second.automaticallyMergesChangesFromParent = true
        let id = try await first.perform {
            let object = first.make("Author", ["name": "Ada"])
            try first.save()
            return object.objectID
        }
        #expect(await changes.next()?.inserted.count == 1)
        #expect(await saves.next()?.inserted == [id])
        #expect(await merges.next()?.inserted == [id])
        try await first.perform {
            first.delete(try first.existingObject(with: id))
            try first.save()
            first.reset()
        }
        #expect(await changes.next()?.deleted == [id])
        #expect(await changes.next()?.isAllInvalidated == true)
        #expect(await saves.next()?.deleted == [id])
        #expect(await merges.next()?.deleted == [id])
    }
}
