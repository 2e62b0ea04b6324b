import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Conformance (d): an asynchronous fetch")
struct AsynchronousFetchConformanceTests {
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext

    init() throws {
        coordinator = try Library.inMemory()
        context = coordinator.context()
        let rows = (0..<600).map { ["title": "\($0)", "pages": $0] as [String: Any] }
        _ = try context.execute(NSBatchInsertRequest(entityName: "Book", objects: rows))
    }

    private func request(_ format: String = "TRUEPREDICATE") -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: format)
        request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
        return request
    }

    /// What an asynchronous fetch gave, and whether its completion block ran on its context's queue. The error is read
    /// there: the thread sanitizer does not see what a continuation hands over that was resumed at once.
    private struct Outcome: @unchecked Sendable {
        let result: NSAsynchronousFetchResult<NSManagedObject>
        let error: (any Error)?
        let wasOnQueue: Bool
    }

    private func run(
        _ request: NSFetchRequest<NSManagedObject>, in context: NSManagedObjectContext, estimate: Int = 0,
        then act: @escaping (NSPersistentStoreAsynchronousResult) -> Void = { _ in }
    ) async throws -> Outcome {
        nonisolated(unsafe) let act = act
        return try await withCheckedThrowingContinuation { continuation in
            context.perform {
                let asked = NSAsynchronousFetchRequest(fetchRequest: request) { result in
                    let isOn = (try? NSFetchRequest<NSManagedObject>(entityName: "Tag").execute()) != nil
                    continuation.resume(
                        returning: Outcome(result: result, error: result.operationError, wasOnQueue: isOn))
                }
                asked.estimatedResultCount = estimate
                do {
                    let result = try context.execute(asked)
                    if let result = result as? NSPersistentStoreAsynchronousResult { act(result) }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
    }

    @Test("d.15 hands its objects over on the context's queue, in order")
    func result() async throws {
        let outcome = try await run(request("pages < 3"), in: context)
        #expect(outcome.wasOnQueue)
        #expect(outcome.error == nil)
        let found = context.performAndWait { outcome.result.finalResult?.map { $0.text("title") } }
        #expect(found == ["0", "1", "2"])
        #expect(outcome.result.managedObjectContext === context)
    }

    @MainActor
    @Test("d.15 hands its objects over on the main queue to a context of that queue")
    func mainQueue() async throws {
        let main = NSManagedObjectContext(.mainQueue)
        main.persistentStoreCoordinator = coordinator
        let found = try await main.results(of: request("pages > 597"))
        #expect(found.map { $0.text("title") } == ["598", "599"])
    }

    @Test("d.15 lays unsaved changes over what the store has, those of a parent too")
    func pending() async throws {
        context.performAndWait { _ = context.make("Book", ["title": "new", "pages": -1]) }
        let limited = request()
        limited.fetchLimit = 2
        let outcome = try await run(limited, in: context)
        #expect(context.performAndWait { outcome.result.finalResult?.map { $0.text("title") } } == ["new", "0"])
        let child = context.makeChild()
        let inChild = try await run(limited, in: child)
        #expect(child.performAndWait { inChild.result.finalResult?.map { $0.text("title") } } == ["new", "0"])
    }

    @Test("Objects that were unsaved at the execution are found, be they saved before the result is made")
    func savedMeanwhile() async throws {
        let context = context
        try context.performAndWait {
            _ = context.make("Book", ["title": "new", "pages": -1])
            context.delete(try #require(try context.fetch(request("pages == 0")).first))
        }
        let limited = request()
        limited.fetchLimit = 2
        let outcome = try await run(limited, in: context) { result in
            // The store is read by then, as it was before the save.
            while result.progress?.completedUnitCount == 0 { sched_yield() }
            #expect(throws: Never.self) { try context.save() }
        }
        #expect(context.performAndWait { outcome.result.finalResult?.map { $0.text("title") } } == ["new", "1"])
    }

    @Test("d.15 counts in its progress, below the progress that is current when it is executed")
    func progress() async throws {
        let parent = Progress(totalUnitCount: 1)
        let request = request()
        let context = context
        let outcome: Outcome = try await withCheckedThrowingContinuation { continuation in
            context.perform {
                parent.becomeCurrent(withPendingUnitCount: 1)
                defer { parent.resignCurrent() }
                let asked = NSAsynchronousFetchRequest(fetchRequest: request) { result in
                    continuation.resume(
                        returning: Outcome(result: result, error: result.operationError, wasOnQueue: true))
                }
                asked.estimatedResultCount = 1000
                let result = try? context.execute(asked) as? NSPersistentStoreAsynchronousResult
                if result?.progress?.totalUnitCount != 1000 { Issue.record("the estimate is not the total") }
            }
        }
        #expect(outcome.result.progress?.completedUnitCount == 600)
        #expect(outcome.result.progress?.totalUnitCount == 600)
        #expect(parent.isFinished)
    }

    @Test("d.15 that is cancelled has no result, and NSUserCancelledError", arguments: [true, false])
    func cancelling(byProgress: Bool) async throws {
        let outcome = try await run(request(), in: context) { result in
            if byProgress { result.progress?.cancel() } else { result.cancel() }
        }
        #expect((outcome.error as NSError?)?.code == CocoaError.Code.userCancelled.rawValue)
        #expect(context.performAndWait { outcome.result.finalResult } == nil)
    }

    @Test("d.15 of a cancelled task throws NSUserCancelledError")
    func cancelledTask() async throws {
        let request = request()
        let context = context
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await context.results(of: request).count
        }
        let error = await #expect(throws: NSError.self) { try await task.value }
        #expect(error?.code == CocoaError.Code.userCancelled.rawValue)
    }

    @Test("d.15 that the store cannot answer completes with the error")
    func failure() async throws {
        let outcome = try await run(request("author.books.title == 'x'"), in: context)
        #expect((outcome.error as NSError?)?.domain == NSCocoaErrorDomain)
        #expect(context.performAndWait { outcome.result.finalResult } == nil)
    }

    @Test("d.15 gives dictionaries, IDs and counts too")
    func kinds() async throws {
        let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Book")
        dictionaries.resultType = .dictionaryResultType
        #expect(try await context.results(of: dictionaries).count == 600)
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
        ids.resultType = .managedObjectIDResultType
        #expect(try await context.results(of: ids).count == 600)
        let count = NSFetchRequest<NSNumber>(entityName: "Book")
        count.resultType = .countResultType
        #expect(try await context.results(of: count) == [600])
    }
}
