#if Service
import CoreData
import CoreDataExtras
import FirnService
import InMemoryLogging
import InMemoryTracing
import Logging
import Metrics
import MetricsTestKit
import ServiceLifecycle
import Testing
import Tracing

/// The three systems of the process, which can be set once.
enum Systems {
    static let logs = InMemoryLogHandler()
    static let metrics = TestMetrics()
    static let tracer = InMemoryTracer()

    static let bootstrap: Void = {
        MetricsSystem.bootstrap(metrics)
        InstrumentationSystem.bootstrap(tracer)
        StoreTelemetry.bootstrap(logger: Logger(label: "firn") { _ in logs })
    }()
}

/// A store in a folder that goes with it.
final class Shelf: Sendable {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    var url: URL { folder.appendingPathComponent("Shelf.sqlite") }

    init() throws {
        Systems.bootstrap
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    static func model(_ attributes: [String]) -> NSManagedObjectModel {
        let book = NSEntityDescription()
        book.name = "Book"
        book.properties = attributes.map { name in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = .stringAttributeType
            attribute.isOptional = true
            return attribute
        }
        let model = NSManagedObjectModel()
        model.entities = [book]
        return model
    }

    func open(
        _ attributes: [String] = ["title"], missingTables: MissingTables = .rebuild
    ) throws -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Shelf", managedObjectModel: Self.model(attributes))
        let description = NSPersistentStoreDescription(url: url)
        description.missingTables = missingTables
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        return container
    }
}

extension NSPersistentContainer {
    func add(_ title: String) async throws {
        try await performBackgroundTask { context in
            NSEntityDescription.insertNewObject(forEntityName: "Book", into: context).setValue(title, forKey: "title")
            try context.save()
        }
    }

    /// The transactions of the store.
    func history() throws -> [NSPersistentHistoryTransaction] {
        let context = newBackgroundContext()
        return try context.performAndWait {
            let result = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast))
            return (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction] ?? []
        }
    }
}

/// One after the other: the systems are the process's.
@Suite(.serialized) final class ServiceTests {
    private let shelf: Shelf

    init() throws { shelf = try Shelf() }

    private func spans(_ name: String) -> [FinishedInMemorySpan] {
        Systems.tracer.finishedSpans.filter { $0.operationName == name }
    }

    private func sum(_ label: String, _ dimensions: [(String, String)] = []) -> Int64 {
        (try? Systems.metrics.expectCounter(label, dimensions).totalValue) ?? 0
    }

    private func gauge(_ label: String, _ dimensions: [(String, String)]) throws -> Double? {
        try Systems.metrics.expectGauge(label, dimensions).lastValue
    }

    @Test("A report of a store is a message of the logger")
    func report() async throws {
        var container: NSPersistentContainer? = try shelf.open()
        try await container?.add("Emma")
        container = nil
        try FileManager.default.removeItem(at: shelf.url)
        Systems.logs.clear()
        _ = try shelf.open(missingTables: .startFresh)
        let entry = try #require(Systems.logs.entries.first)
        #expect(entry.level == .warning)
        #expect("\(entry.message)".contains("was deleted, so this is a new store"))
    }

    @Test("A save is counted, timed and sized")
    func saveMetrics() async throws {
        let container = try shelf.open()
        let before = sum("firn.saves", [("outcome", "saved")])
        try await container.add("Emma")
        #expect(sum("firn.saves", [("outcome", "saved")]) == before + 1)
        #expect(try Systems.metrics.expectTimer("firn.save.duration").values.count > 0)
        #expect(try Systems.metrics.expectRecorder("firn.save.size").values.last ?? 0 > 4)
    }

    @Test("A conflict is counted, and its save as failed")
    func conflictMetrics() async throws {
        let container = try shelf.open()
        try await container.add("Emma")
        let contexts = [container.newBackgroundContext(), container.newBackgroundContext()]
        for context in contexts {
            try context.performAndWait {
                let books = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
                books[0].setValue("\(ObjectIdentifier(context))", forKey: "title")
            }
        }
        let before = (sum("firn.conflicts"), sum("firn.saves", [("outcome", "failed")]))
        try contexts[0].performAndWait { try contexts[0].save() }
        #expect(throws: (any Error).self) { try contexts[1].performAndWait { try contexts[1].save() } }
        #expect(sum("firn.conflicts") == before.0 + 1)
        #expect(sum("firn.saves", [("outcome", "failed")]) == before.1 + 1)
        #expect(spans("save").last?.attributes["firn.conflicts"]?.toSpanAttribute() == .int64(1))
    }

    @Test("A save and a fetch are spans of the request, and the record has its trace")
    func requestSpans() async throws {
        let container = try shelf.open()
        Systems.tracer.clearFinishedSpans()
        try await withSpan("POST /books") { _ in
            try await container.add("Emma")
            let context = container.newBackgroundContext()
            let counts = try await context.perform {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                return [try context.fetch(request).count, try context.count(for: request)]
            }
            #expect(counts == [1, 1])
        }
        let request = try #require(spans("POST /books").first)
        let save = try #require(spans("save").first)
        let transaction = try #require(try container.history().last)
        #expect(save.parentSpanID == request.spanID)
        #expect(save.attributes["firn.record"]?.toSpanAttribute() == .int64(transaction.transactionNumber))
        #expect(transaction.metadata == ["in-memory-trace-id": request.traceID, "in-memory-span-id": save.spanID])
        let fetch = try #require(spans("fetch Book").first)
        #expect(fetch.parentSpanID == request.spanID)
        #expect(fetch.attributes["db.response.returned_rows"]?.toSpanAttribute() == .int64(1))
        #expect(spans("count Book").map(\.parentSpanID) == [request.spanID])
    }

    @Test("The application's metadata of a record stays")
    func metadataOfApplication() async throws {
        let container = try shelf.open()
        try await container.performBackgroundTask { context in
            context.transactionMetadata = ["request": "r-1"]
            _ = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
            try context.save()
        }
        #expect(Set(try container.history().last?.metadata.keys.map { $0 } ?? [])
            == ["request", "in-memory-trace-id", "in-memory-span-id"])
    }

    @Test("A migration is a span")
    func migrationSpan() async throws {
        var container: NSPersistentContainer? = try shelf.open()
        try await container?.add("Emma")
        container = nil
        Systems.tracer.clearFinishedSpans()
        let migrated = try shelf.open(["title", "author"])
        let span = try #require(spans("migration").first)
        #expect(span.attributes["firn.record"]?.toSpanAttribute() == .int64(3))
        #expect(migrated.persistentStoreCoordinator.persistentStores.count == 1)
    }

    @Test("Lags and the row cache are gauges")
    func gauges() async throws {
        let container = try shelf.open()
        try await container.add("Emma")
        let coordinator = container.persistentStoreCoordinator
        try await coordinator.historySubscription(named: "mail").run(stopsWhenDelivered: true) { _ in }
        for title in ["Persuasion", "Villette"] { try await container.add(title) }
        StoreMetricsService(coordinator).record()
        let store = ("store", "Shelf.sqlite")
        #expect(try gauge("firn.log.head", [store]) == 4)
        #expect(try gauge("firn.row_cache.size", [store]) ?? 0 > 0)
        #expect(try gauge("firn.tables.lag", [store]) ?? -1 >= 0)
        #expect(try gauge("firn.subscription.lag", [store, ("subscription", "mail")]) == 2)
    }

    @Test("Services end with the process, and their places stay")
    func shutdown() async throws {
        let container = try shelf.open()
        let coordinator = container.persistentStoreCoordinator
        try await container.add("Emma")
        let subscription = try coordinator.historySubscription(named: "mail")
        let projector = try TableProjector(
            Titles(), of: coordinator, at: shelf.folder.appendingPathComponent("Titles.sqlite"))
        let (delivered, continuation) = AsyncStream<Int>.makeStream()
        let group = ServiceGroup(
            services: [
                StoreMetricsService(coordinator),
                TableProjectorService(projector),
                HistorySubscriptionService(subscription) { continuation.yield($0.count) },
            ],
            logger: Logger(label: "group") { _ in SwiftLogNoOpLogHandler() })
        let running = Task { try await group.run() }
        for await count in delivered {
            #expect(count == 1)
            break
        }
        await group.triggerGracefulShutdown()
        try await running.value
        #expect(try subscription.token == coordinator.currentPersistentHistoryToken(fromStores: nil))
        #expect(try projector.read { try $0.rows("SELECT title FROM titles").count } == 1)
    }
}

private struct Titles: TableProjection {
    let version = 1

    func createTables(in tables: ProjectionTables) throws { try tables.execute("CREATE TABLE titles(title TEXT)") }

    func apply(_ transaction: NSPersistentHistoryTransaction, to tables: ProjectionTables) throws {
        for change in transaction.changes ?? [] {
            try tables.execute("INSERT INTO titles VALUES (?)", [.text(change.newValues["title"] as? String ?? "")])
        }
    }

    func begin(with state: NSManagedObjectContext, in tables: ProjectionTables) throws {}
}

@main
struct Program {
    static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
#else
/// It is nothing without the trait Service.
@main
enum Program {
    static func main() {}
}
#endif
