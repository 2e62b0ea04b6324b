import Firn
import FirnModel
import Foundation
import StoreSupport
import Synchronization
import Testing

/// Objects that are related to one another in a row, as a list's entries are, each to the next.
@Suite("A long chain of objects")
struct ChainReleaseTests {
    /// `Node.next` to one node or to many, and `Node.previous` to many.
    private static func model(toMany: Bool) -> NSManagedObjectModel {
        let node = NSEntityDescription()
        node.name = "Node"
        let (next, previous) = (NSRelationshipDescription(), NSRelationshipDescription())
        (next.name, previous.name) = ("next", "previous")
        for relationship in [next, previous] { relationship.destinationEntity = node }
        next.maxCount = toMany ? 0 : 1
        next.deleteRule = .cascadeDeleteRule
        (next.inverseRelationship, previous.inverseRelationship) = (previous, next)
        node.properties = [next, previous]
        let model = NSManagedObjectModel()
        model.entities = [node]
        return model
    }

    private static func makeChain(_ context: NSManagedObjectContext, toMany: Bool) -> NSManagedObject {
        var head = context.make("Node")
        for _ in 1..<4_000 {
            head = context.make("Node", ["next": toMany ? NSSet(object: head) : head])
        }
        return head
    }

    /// Runs `body` on a thread with the smallest stack that dispatch gives its threads.
    private static func onSmallStack(_ body: @escaping @Sendable () throws -> Void) throws {
        let done = DispatchSemaphore(value: 0)
        let result = Mutex<Result<Void, any Error>>(.success(()))
        let thread = Thread {
            let outcome = Result { try body() }
            result.withLock { $0 = outcome }
            done.signal()
        }
        thread.stackSize = 256 << 10
        thread.start()
        done.wait()
        try result.withLock { try $0.get() }
    }

    @Test("can be deleted on a thread with a small stack", arguments: [false, true])
    func deletion(toMany: Bool) throws {
        try Self.onSmallStack {
            let context = try Library.inMemory(Self.model(toMany: toMany)).context()
            let head = Self.makeChain(context, toMany: toMany)
            try context.save()
            context.delete(head)
            try context.save()
            #expect(try context.all("Node").isEmpty)
        }
    }
}
