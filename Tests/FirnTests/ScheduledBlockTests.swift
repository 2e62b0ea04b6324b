import Firn
import FirnModel
import Foundation
import StoreSupport
import Testing

@Suite("Blocks of a context's queue, and the older lock")
struct ScheduledBlockTests {
    struct Refusal: Error {}

    @Test("a block that is performed from within another comes after it, one that is waited for within it")
    func order() async throws {
        let context = try Library.inMemory().context()
        nonisolated(unsafe) var order: [String] = []
        await context.perform {
            context.perform { order.append("performed") }
            context.performAndWait { order.append("waited for") }
            order.append("end")
        }
        await context.perform(schedule: .enqueued) { order.append("enqueued") }
        #expect(order == ["waited for", "end", "performed", "enqueued"])
    }

    @Test(
        "a scheduled block gives what it gives or its error, and what it changed is told",
        arguments: [NSManagedObjectContext.ScheduledTaskType.immediate, .enqueued])
    func result(_ schedule: NSManagedObjectContext.ScheduledTaskType) async throws {
        let context = try Library.inMemory().context()
        let told = Recorder(.NSManagedObjectContextObjectsDidChange, context)
        let count = try await context.perform(schedule: schedule) {
            _ = context.make("Author", ["name": "Ada"])
            try context.save()
            return try context.all("Author").count
        }
        #expect(count == 1)
        await #expect(throws: Refusal.self) {
            try await context.perform(schedule: schedule) {
                _ = context.make("Author", ["name": "Bob"])
                throw Refusal()
            }
        }
        #expect(told.notifications.count == 2)
    }

    @Test("the older lock is for one thread at a time, as often as that likes")
    func lock() throws {
        let context = try Library.inMemory().context()
        func isFree() -> Bool {
            nonisolated(unsafe) var isFree = false
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                isFree = context.tryLock()
                if isFree { context.unlock() }
                done.signal()
            }
            done.wait()
            return isFree
        }
        context.lock()
        #expect(context.tryLock())
        context.unlock()
        #expect(!isFree())
        context.unlock()
        #expect(isFree())
    }
}
