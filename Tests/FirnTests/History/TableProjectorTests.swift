import CoreDataExtras
import Firn
import FirnModel
import Foundation
import Synchronization
import StoreSupport
import TestSupport
import Testing

/// How many authors there are of each name, and how many transactions were applied.
private final class NameCounts: TableProjection, @unchecked Sendable {
    let version: Int
    /// Throws when so many transactions were applied; none if negative.
    let failure = Atomic(-1)
    let applied = Atomic(0)
    /// Called before a transaction is applied.
    let onApply: @Sendable () -> Void

    struct Failure: Error {}

    init(version: Int = 1, onApply: @escaping @Sendable () -> Void = {}) {
        self.version = version
        self.onApply = onApply
    }

    func createTables(in tables: ProjectionTables) throws {
        try tables.execute("CREATE TABLE names(name TEXT PRIMARY KEY, count INTEGER NOT NULL)")
        try tables.execute("CREATE TABLE applied(number INTEGER PRIMARY KEY)")
    }

    func apply(_ transaction: NSPersistentHistoryTransaction, to tables: ProjectionTables) throws {
        onApply()
        if applied.wrappingAdd(1, ordering: .relaxed).newValue == failure.load(ordering: .relaxed) { throw Failure() }
        // A transaction that is applied twice violates the key.
        try tables.execute("INSERT INTO applied VALUES (?1)", [.integer(transaction.transactionNumber)])
        for change in transaction.changes ?? [] where change.changedObjectID.entity.name == "Author" {
            try count(change.oldValues["name"], -1, tables)
            try count(change.newValues["name"], 1, tables)
        }
    }

    func begin(with state: NSManagedObjectContext, in tables: ProjectionTables) throws {
        try state.performAndWait {
            for author in try state.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author")) {
                try count(author.value(forKey: "name"), 1, tables)
            }
        }
    }

    private func count(_ name: Any?, _ step: Int64, _ tables: ProjectionTables) throws {
        guard let name = name as? String else { return }
        try tables.execute(
            "INSERT INTO names VALUES (?1, ?2) ON CONFLICT(name) DO UPDATE SET count = count + ?2",
            [.text(name), .integer(step)])
        try tables.execute("DELETE FROM names WHERE count = 0")
    }
}

@Suite("Tables of an application's own")
struct TableProjectorTests {
    let directory: TemporaryDirectory
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext
    private let counts = NameCounts()

    init() throws {
        directory = try TemporaryDirectory()
        coordinator = try Library.onDisk(directory)
        context = coordinator.context()
        for name in ["Ada", "Bob", "Ada"] {
            _ = context.make("Author", ["name": name])
            try context.save()
        }
    }

    private var url: URL { directory.file("Names.sqlite") }

    private func projector(_ counts: NameCounts) throws -> TableProjector {
        try TableProjector(counts, of: coordinator, at: url)
    }

    private func names(_ projector: TableProjector) throws -> [[ProjectionValue]] {
        try projector.read { try $0.rows("SELECT name, count FROM names ORDER BY name") }
    }

    @Test("are built from the history, and apply each transaction once")
    func once() throws {
        let first = try projector(counts)
        #expect(try names(first) == [["Ada", 2], ["Bob", 1]])
        _ = context.make("Author", ["name": "Cid"])
        try context.save()
        try first.catchUp()
        try first.catchUp()
        // Another projector on the file goes on where this one is.
        let second = try projector(counts)
        try second.catchUp()
        #expect(try names(second) == [["Ada", 2], ["Bob", 1], ["Cid", 1]])
        #expect(counts.applied.load(ordering: .relaxed) == 4)
    }

    @Test("have each transaction once, though two programs bring them up to date at the same time")
    func together() throws {
        let begun = Atomic(0)
        // The other one looks where the tables are, while this one is about to write.
        let counts = NameCounts {
            for _ in 0..<100_000 where begun.load(ordering: .relaxed) < 2 { sched_yield() }
            for _ in 0..<200 { sched_yield() }
        }
        let projectors = [try projector(counts), try projector(counts)]
        begun.store(2, ordering: .relaxed)
        for projector in projectors { try projector.catchUp() }
        let failures = Mutex<[String]>([])
        for _ in 0..<20 {
            _ = context.make("Author", ["name": "Cid"])
            try context.save()
            begun.store(0, ordering: .relaxed)
            runThreads(2) { number in
                begun.add(1, ordering: .relaxed)
                do { try projectors[number].catchUp() } catch { failures.withLock { $0.append("\(error)") } }
            }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(try names(projectors[0]) == [["Ada", 2], ["Bob", 1], ["Cid", 20]])
    }

    @Test("are built again when the store is put back from a backup, with as many records or fewer",
        arguments: [[], ["Dan"]])
    func backup(_ names: [String]) throws {
        let (manager, backup) = (FileManager.default, try TemporaryDirectory())
        try coordinator.remove(coordinator.persistentStores[0])
        for name in try manager.contentsOfDirectory(atPath: directory.url.path) {
            try manager.copyItem(at: directory.file(name), to: backup.file(name))
        }
        let later = try Library.onDisk(directory)
        let context = later.context()
        _ = context.make("Author", ["name": "Cid"])
        try context.save()
        try TableProjector(counts, of: later, at: url).catchUp()
        let old = try Library.onDisk(backup)
        let other = old.context()
        for name in names {
            _ = other.make("Author", ["name": name])
            try other.save()
        }
        let projector = try TableProjector(NameCounts(), of: old, at: url)
        try projector.catchUp()
        let found = try projector.read { try $0.rows("SELECT name FROM names ORDER BY name") }
        #expect(found == (["Ada", "Bob"] + names).map { [.text($0)] })
    }

    @Test("follow the store: what was saved before, and what is saved afterwards")
    func following() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let projector = try projector(NameCounts { continuation.yield() })
        let running = Task { try await projector.run() }
        var applied = stream.makeAsyncIterator()
        for _ in 0..<3 { await applied.next() }
        _ = context.make("Author", ["name": "Cid"])
        try context.save()
        await applied.next()
        running.cancel()
        try await running.value
        #expect(try names(projector) == [["Ada", 2], ["Bob", 1], ["Cid", 1]])
    }

    @Test("are in their file, and not in its write-ahead log, once they are large")
    func checkpoint() throws {
        let projector = try projector(counts)
        _ = context.make("Author", ["name": String(repeating: "x", count: 5 << 20)])
        try context.save()
        try projector.catchUp()
        let size = try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int ?? 0
        #expect(size > 5 << 20)
    }

    @Test("go on from the last commit when a transaction could not be applied", arguments: [1, 2, 3])
    func failure(_ number: Int) throws {
        counts.failure.store(number, ordering: .relaxed)
        let projector = try projector(counts)
        #expect(throws: NameCounts.Failure.self) { try projector.catchUp() }
        try projector.catchUp()
        #expect(try names(projector) == [["Ada", 2], ["Bob", 1]])
    }

    @Test("of another version are built anew, and so are tables that were deleted")
    func version() throws {
        try projector(counts).catchUp()
        let newer = NameCounts(version: 2)
        #expect(try names(try projector(newer)) == [["Ada", 2], ["Bob", 1]])
        #expect(newer.applied.load(ordering: .relaxed) == 3)
        let opened = try projector(newer)
        #expect(try names(opened).count == 2)
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
        #expect(try names(opened) == [["Ada", 2], ["Bob", 1]])
    }

    @Test("begin with the state where history was trimmed")
    func trimmed() throws {
        try coordinator.trimHistory(keeping: HistoryRetention(transactionCountMax: 1))
        let projector = try projector(counts)
        #expect(try names(projector) == [["Ada", 2], ["Bob", 1]])
        #expect(counts.applied.load(ordering: .relaxed) == 1)
        _ = context.make("Author", ["name": "Cid"])
        try context.save()
        try coordinator.trimHistory(keeping: HistoryRetention(transactionCountMax: 0))
        try projector.catchUp()
        #expect(try names(projector) == [["Ada", 2], ["Bob", 1], ["Cid", 1]])
    }

    @Test("are built anew after an erasure, so that nothing of it is left")
    func erased() throws {
        let projector = try projector(counts)
        try projector.catchUp()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.predicate = NSPredicate(format: "name == 'Bob'")
        let bob = try #require(try context.fetch(request).first)
        try coordinator.erase(bob.objectID)
        try projector.catchUp()
        #expect(try names(projector) == [["Ada", 2]])
        #expect(try Data(contentsOf: url).range(of: Data("Bob".utf8)) == nil)
    }

    @Test("are read and written while they are built anew and other threads save")
    func concurrent() async throws {
        let projector = try projector(counts)
        try projector.catchUp()
        let coordinator = coordinator
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                let context = coordinator.newPrivateContext()
                for index in 0..<60 {
                    try await context.perform {
                        _ = context.make("Author", ["name": "author \(index % 7)"])
                        try context.save()
                    }
                }
            }
            for _ in 0..<2 {
                group.addTask { for _ in 0..<4 { try projector.rebuild() } }
            }
            group.addTask {
                for _ in 0..<30 {
                    try projector.catchUp()
                    let total = try projector.read { try $0.rows("SELECT sum(count) FROM names")[0][0] }
                    guard case .integer(3...) = total else {
                        Issue.record("the tables have \(total) authors")
                        return
                    }
                }
            }
            try await group.waitForAll()
        }
        try projector.catchUp()
        #expect(try projector.read { try $0.rows("SELECT sum(count) FROM names") } == [[63]])
        #expect(try projector.read { try $0.rows("SELECT count(*) FROM applied") } == [[63]])
    }
}

extension NSPersistentStoreCoordinator {
    fileprivate func newPrivateContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = self
        return context
    }
}
