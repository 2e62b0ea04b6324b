import Firn
import FirnModel
import Foundation
import StoreSupport
import Synchronization
import TestSupport
import Testing

/// Changes of a context, and saves of others, between the reading of rows and the making of their objects.
@Suite("A fetch during which something changes")
struct ChangedFetchTests {
    @Test("gives the first of what is there when an asynchronous fetch ends")
    func deletion() async throws {
        let context = try Library.inMemory().context()
        try context.performAndWait {
            for pages in 1...3 { _ = context.make("Book", ["title": "\(pages)", "pages": pages]) }
            try context.save()
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
        request.fetchLimit = 2
        let titles: [String?] = try await withCheckedThrowingContinuation { continuation in
            context.perform {
                let asked = NSAsynchronousFetchRequest(fetchRequest: request) { result in
                    continuation.resume(returning: result.finalResult?.map { $0.text("title") } ?? [])
                }
                do {
                    _ = try context.execute(asked)
                    // The result waits for this queue.
                    try context.all("Book", sortedBy: "pages").first.map(context.delete)
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
        #expect(titles == ["2", "3"])
    }

    @Test("does not put rows into the cache over those that others saved meanwhile")
    func savesOfOthers() throws {
        let directory = try TemporaryDirectory()
        let coordinator = try Library.onDisk(directory)
        let maker = coordinator.context()
        for pages in 0..<3_000 { _ = maker.make("Book", ["title": "book", "pages": pages]) }
        try maker.save()
        let failures = Mutex<[String]>([])
        let isOver = Atomic(false)
        runThreads(2) { number in
            let context = coordinator.context()
            do {
                if number == 0 {
                    defer { isOver.store(true, ordering: .releasing) }
                    let book = try #require(try context.all("Book", sortedBy: "pages").first)
                    // With an older row in the cache, a save would be in conflict with itself.
                    for round in 0..<60 {
                        book.setValue("round \(round)", forKey: "title")
                        try context.save()
                    }
                } else {
                    while !isOver.load(ordering: .acquiring) { _ = try context.all("Book") }
                }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
    }
}
