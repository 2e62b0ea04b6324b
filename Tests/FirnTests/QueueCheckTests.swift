import Firn
import FirnModel
import Foundation
import StoreSupport
import Testing

/// The check is decided once in a process, so each of these runs in one of its own.
@Suite("A use off the context's queue stops the program that asks for it")
struct QueueCheckTests {
    private static func message(of result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    @Test("a context used off its queue is named, with the queue it belongs to and the one it was used on")
    func context() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            setenv("FIRN_CONCURRENCY_DEBUG", "1", 1)
            let context = try Library.inMemory().context()
            context.name = "Import"
            _ = try? context.all("Author")
        }
        let message = Self.message(of: result)
        #expect(message.contains("the context Import belongs to the private queue of the context \"Import\""))
        #expect(message.contains("use perform or performAndWait"))
    }

    @Test("an object read off its context's queue is named")
    func object() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            setenv("FIRN_CONCURRENCY_DEBUG", "1", 1)
            let context = try Library.inMemory().context()
            let object = context.performAndWait { context.make("Author", ["name": "Ada"]) }
            let other = try Library.inMemory().context()
            other.performAndWait { _ = object.value(forKey: "name") }
        }
        let message = Self.message(of: result)
        #expect(message.contains("/Author/t"))
        #expect(message.contains("was used on the private queue of another context"))
    }

    @Test("an object changed off its context's queue is named")
    func change() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            setenv("FIRN_CONCURRENCY_DEBUG", "1", 1)
            let context = try Library.inMemory().context()
            let object = context.performAndWait { context.make("Author") }
            object.setValue("Ada", forKey: "name")
        }
        #expect(Self.message(of: result).contains("performAndWait"))
    }

    @Test("what keeps to the rules passes: perform, nested waits, children, merging, object IDs anywhere")
    func rules() async {
        await #expect(processExitsWith: .success) {
            setenv("FIRN_CONCURRENCY_DEBUG", "1", 1)
            let coordinator = try Library.inMemory()
            let (first, second) = (coordinator.context(), coordinator.context())
            second.automaticallyMergesChangesFromParent = true
            let object = try first.performAndWait {
                let object = first.make("Author", ["name": "Ada"])
                first.make("Book", ["title": "Notes"]).setValue(object, forKey: "author")
                try first.save()
                return object
            }
            let id = object.objectID
            try first.performAndWait {
                try second.performAndWait {
                    // Both queues are waiting for this block.
                    let other = try second.existingObject(with: id)
                    precondition(other.text("name") == object.text("name"))
                    first.performAndWait { object.setValue("Eva", forKey: "name") }
                }
                try first.save()
            }
            let child = second.makeChild()
            try await child.perform {
                let mine = try child.existingObject(with: id)
                mine.setValue(3, forKey: "age")
                _ = child.make("Author", ["name": "New"])
                child.delete(try child.all("Book")[0])
                try child.save()
            }
            try await second.perform { try second.save() }
            second.drain()
            first.performAndWait { first.reset() }
        }
    }

    @Test("switched off, nothing is checked and nothing said")
    func off() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            setenv("FIRN_CONCURRENCY_DEBUG", "0", 1)
            try Self.misuse(in: DispatchQueue(label: "mine"))
        }
        #expect(Self.message(of: result) == "")
    }

    /// Uses a context off its queue at two places, one of them several times.
    private static func misuse(in queue: DispatchQueue) throws {
        let context = try Library.inMemory().context()
        context.name = "Import"
        for _ in 0..<3 { queue.sync { _ = try? context.all("Author") } }
        queue.sync { _ = try? context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) }
    }

    @Test("not asked for, it goes on; a debug build says each place once, a release build says nothing")
    func notAskedFor() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            unsetenv("FIRN_CONCURRENCY_DEBUG")
            try Self.misuse(in: DispatchQueue(label: "mine"))
        }
        let lines = Self.message(of: result).split(separator: "\n").filter { $0.contains("the context Import belongs") }
        #if DEBUG
            #expect(lines.count == 2)
            #expect(lines.allSatisfy { $0.contains("was used on a dispatch queue that belongs to no context (mine)") })
        #else
            #expect(lines.isEmpty)
        #endif
    }

    #if DEBUG
        @Test("the key of the launch argument is also one of the user's defaults")
        func defaults() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                unsetenv("FIRN_CONCURRENCY_DEBUG")
                UserDefaults.standard.register(defaults: ["com.apple.CoreData.ConcurrencyDebug": 1])
                try Self.misuse(in: DispatchQueue(label: "mine"))
            }
            #expect(Self.message(of: result).contains("belongs to the private queue of the context \"Import\""))
        }
    #endif
}
