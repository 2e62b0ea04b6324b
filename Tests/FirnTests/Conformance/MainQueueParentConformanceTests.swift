import Firn
import FirnModel
import Foundation
import StoreSupport
import Testing

/// Children on private queues whose parent is on the main queue, which waits for them.
@Suite("Conformance (m): children of main-queue contexts")
@MainActor
struct MainQueueParentConformanceTests {
    private let parent: NSManagedObjectContext
    private let child: NSManagedObjectContext
    private let ada: NSManagedObject

    init() throws {
        parent = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        parent.persistentStoreCoordinator = try Library.inMemory()
        ada = parent.make("Author", ["name": "Ada"])
        try parent.save()
        child = parent.makeChild()
    }

    @Test("m.12 the main thread may wait for a child that reads from its parent", .timeLimit(.minutes(1)))
    func reading() {
        let started = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var found: [NSManagedObject]?
        child.perform { [child] in
            started.signal()
            found = try? child.all("Author")
        }
        started.wait()
        let names = child.performAndWait { found?.map { $0.text("name") } }
        #expect(names == ["Ada"])
    }

    @Test("m.12 the main thread may wait for a child that merges what its parent saved", .timeLimit(.minutes(1)))
    func merging() throws {
        child.automaticallyMergesChangesFromParent = true
        let mine = try child.performAndWait {
            let mine = try child.existingObject(with: ada.objectID)
            _ = mine.value(forKey: "name")
            return mine
        }
        var seen: [Int?] = []
        for number in 0..<50 {
            ada.setValue(number, forKey: "age")
            try parent.save()
            seen.append(child.performAndWait { mine.number("age") })
        }
        #expect(seen == Array(0..<50))
    }

    @Test(
        "m.12 what is run in a child from the main queue runs on the same thread, and may save into the parent",
        .timeLimit(.minutes(1)))
    func ownThread() throws {
        let thread = pthread_self()
        #expect(child.performAndWait { pthread_self() == thread })
        struct Refusal: Error {}
        #expect(throws: Refusal.self) { try child.performAndWait { throw Refusal() } }
        let names = try child.performAndWait {
            _ = child.make("Author", ["name": "Bob"])
            try child.save()
            return parent.performAndWait { parent.insertedObjects.map { $0.text("name") } }
        }
        #expect(names == ["Bob"])
    }

    @Test("m.12 from within the queue of another context the main queue is still held", .timeLimit(.minutes(1)))
    func nested() throws {
        let other = try #require(parent.persistentStoreCoordinator).context()
        let names = try other.performAndWait {
            try parent.performAndWait { try parent.all("Author").map { $0.text("name") } }
        }
        #expect(names == ["Ada"])
    }

    @Test("m.12 a grandchild that reads is served while the main thread waits for the child", .timeLimit(.minutes(1)))
    func grandchild() {
        let grandchild = child.makeChild()
        let started = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var count: Int?
        grandchild.perform {
            started.signal()
            count = try? grandchild.all("Author").count
        }
        started.wait()
        let seen = grandchild.performAndWait { count }
        #expect(seen == 1)
    }
}
