import CoreData
import Foundation
import Observation
import SwiftData
import Testing

/// The other process is an exit test's.
@Suite("Saves of other stacks and processes")
struct FollowingTests {
    let folder = TestFolder()
    let container: ModelContainer
    var url: URL { folder.file("Fleet.store") }

    init() throws { container = try Self.container(folder.file("Fleet.store").path) }

    private static func container(_ path: String) throws -> ModelContainer {
        try ModelContainer(for: Truck.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
    }

    private static func stack(_ path: String) throws -> NSPersistentStoreCoordinator {
        let model = try #require(NSManagedObjectModel.makeManagedObjectModel(for: [Truck.self]))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: path),
            options: [NSPersistentHistoryTrackingKey: true])
        return coordinator
    }

    private static func context(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.automaticallyMergesChangesFromParent = true
        context.retainsRegisteredObjects = true
        return context
    }

    /// One element for each transaction of the container's stores from now on.
    private func transactions() -> AsyncStream<Void> {
        AsyncStream { continuation in
            let observer = NotificationCenter.default.addObserver(
                forName: ModelContainer.remoteChange, object: container, queue: nil
            ) { _ in continuation.yield() }
            nonisolated(unsafe) let token = observer
            continuation.onTermination = { _ in NotificationCenter.default.removeObserver(token) }
        }
    }

    private func insert(_ plate: String, into context: ModelContext) throws -> Vehicle {
        let vehicle = Vehicle(plate: plate)
        context.insert(vehicle)
        try context.save()
        return vehicle
    }

    @Test("a context merges what another process saved when it is next used")
    func otherProcess() async throws {
        let context = ModelContext(container)
        let vehicle = try insert("A", into: context)
        let gone = try insert("Gone", into: context)
        await #expect(processExitsWith: .success) { [path = url.path as String] in
            let context = ModelContext(try Self.container(path))
            for vehicle in try context.fetch(FetchDescriptor<Vehicle>()) {
                if vehicle.plate == "A" { vehicle.plate = "B" } else { context.delete(vehicle) }
            }
            context.insert(Vehicle(plate: "C"))
            try context.save()
        }
        let found = try context.fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.plate)]))
        #expect(found.map(\.plate) == ["B", "C"])
        #expect(found.first === vehicle)
        #expect(gone.isDeleted)
        #expect(gone.plate == "Gone")
    }

    @Test("unsaved changes stay on top of what another process saved")
    func unsaved() async throws {
        let context = ModelContext(container)
        let vehicle = try insert("A", into: context)
        vehicle.wheels = 3
        await #expect(processExitsWith: .success) { [path = url.path as String] in
            let context = ModelContext(try Self.container(path))
            let vehicle = try #require(try context.fetch(FetchDescriptor<Vehicle>()).first)
            vehicle.plate = "B"
            vehicle.wheels = 8
            try context.save()
        }
        _ = try context.fetch(FetchDescriptor<Vehicle>())
        #expect(vehicle.plate == "B")
        #expect(vehicle.wheels == 3)
        try context.save()
        #expect(try ModelContext(container).fetch(FetchDescriptor<Vehicle>()).map(\.wheels) == [3])
    }

    @Test("a SwiftData process and a Core Data process save and follow each other", .timeLimit(.minutes(5)))
    func bothFollow() async throws {
        let context = ModelContext(container)
        let vehicle = try insert("A", into: context)
        let transactions = transactions()
        async let other: Void = coreDataProcess()
        for await _ in transactions {
            _ = try context.fetch(FetchDescriptor<Vehicle>())
            if vehicle.plate == "B" { break }
        }
        vehicle.plate = "C"
        try context.save()
        await other
        _ = try context.fetch(FetchDescriptor<Vehicle>())
        #expect(vehicle.plate == "D")
        #expect(vehicle.wheels == 2)
    }

    /// Changes the plate to B, waits until it is C, and changes it to D.
    private func coreDataProcess() async {
        await #expect(processExitsWith: .success) { [path = url.path as String] in
            let context = Self.context(try Self.stack(path))
            let (merges, merge) = AsyncStream.makeStream(of: Void.self)
            let id = try await context.perform {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Vehicle")
                let vehicle = try #require(try context.fetch(request).first)
                #expect(vehicle.value(forKey: "plate") as? String == "A")
                return vehicle.objectID
            }
            let observer = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
            ) { _ in
                if context.object(with: id).value(forKey: "plate") as? String == "C" { merge.finish() }
            }
            try await context.perform {
                context.object(with: id).setValue("B", forKey: "plate")
                try context.save()
            }
            for await _ in merges {}
            try await context.perform {
                context.object(with: id).setValue("D", forKey: "plate")
                context.object(with: id).setValue(2, forKey: "wheels")
                try context.save()
            }
            withExtendedLifetime(observer) {}
        }
    }

    @MainActor
    @Test("the main context merges what others saved by itself, and observers of the property hear of it",
        .timeLimit(.minutes(5)))
    func mainContext() async throws {
        let context = container.mainContext
        let vehicle = try insert("A", into: context)
        let (changes, change) = AsyncStream.makeStream(of: Void.self)
        nonisolated(unsafe) var unrelated = 0
        withObservationTracking { _ = vehicle.plate } onChange: { change.finish() }
        withObservationTracking { _ = vehicle.wheels } onChange: { unrelated += 1 }
        async let other: Void = changePlate()
        for await _ in changes {}
        await other
        #expect(vehicle.plate == "B")
        #expect(unrelated == 0)
    }

    nonisolated private func changePlate() async {
        await #expect(processExitsWith: .success) { [path = url.path as String] in
            let context = Self.context(try Self.stack(path))
            try await context.perform {
                let found = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Vehicle"))
                found.first?.setValue("B", forKey: "plate")
                try context.save()
            }
        }
    }

    @Test("a model that another context deletes during its save, and that the save writes again, stays in its context")
    func writtenAgain() throws {
        let context = ModelContext(container)
        nonisolated(unsafe) let other = ModelContext(container)
        let vehicle = try insert("A", into: context)
        let observer = NotificationCenter.default.addObserver(
            forName: ModelContext.willSave, object: context, queue: nil
        ) { _ in
            for found in (try? other.fetch(FetchDescriptor<Vehicle>())) ?? [] { other.delete(found) }
            try? other.save()
        }
        vehicle.plate = "B"
        try context.save()
        NotificationCenter.default.removeObserver(observer)
        #expect(try context.fetch(FetchDescriptor<Vehicle>()).map(\.plate) == ["B"])
        #expect(!vehicle.isDeleted)
        vehicle.plate = "C"
        try context.save()
        #expect(try ModelContext(container).fetch(FetchDescriptor<Vehicle>()).map(\.plate) == ["C"])
    }

    @Test("a Core Data stack of the same process is followed")
    func sameProcess() throws {
        let context = ModelContext(container)
        let vehicle = try insert("A", into: context)
        let other = Self.context(try Self.stack(url.path))
        try other.performAndWait {
            let found = try other.fetch(NSFetchRequest<NSManagedObject>(entityName: "Vehicle"))
            found.first?.setValue("B", forKey: "plate")
            try other.save()
        }
        _ = try context.fetch(FetchDescriptor<Vehicle>())
        #expect(vehicle.plate == "B")
    }

    @Test("a save's notification has the tokens of its transaction, by store")
    func tokens() throws {
        let context = ModelContext(container)
        nonisolated(unsafe) var found: [(any HistoryToken)?] = []
        let store = try #require(container.storeIdentifier(forConfigurationNamed: "Fleet"))
        let observer = NotificationCenter.default.addObserver(
            forName: ModelContext.didSave, object: context, queue: nil
        ) { note in
            let key = ModelContext.NotificationKey.historyTokens
            for tokens in [note.userInfo?[key], note.userInfo?[key.rawValue]] {
                found.append((tokens as? [String: any HistoryToken])?[store])
            }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        _ = try insert("A", into: context)
        let last = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last
        #expect(found.map { $0 as? DefaultHistoryToken } == [last?.token, last?.token])
        found = []
        try context.delete(model: Vehicle.self)
        try context.save()
        let deletion = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last
        #expect(deletion?.token != last?.token)
        #expect(found.map { $0 as? DefaultHistoryToken } == [deletion?.token, deletion?.token])
    }

    @Test("a transaction that throws keeps what was unsaved before it")
    func transaction() throws {
        struct Failure: Error {}
        let context = ModelContext(container)
        let saved = try insert("saved", into: context)
        let gone = try insert("gone", into: context)
        saved.wheels = 3
        let before = Vehicle(plate: "before")
        context.insert(before)
        let discarded = Vehicle(plate: "discarded")
        context.insert(discarded)
        let inside = Vehicle(plate: "inside")
        #expect(throws: Failure.self) {
            try context.transaction {
                saved.wheels = 4
                before.wheels = 5
                before.plate = "changed"
                context.insert(inside)
                context.delete(gone)
                context.delete(discarded)
                throw Failure()
            }
        }
        #expect(saved.wheels == 3)
        #expect(before.wheels == 4)
        #expect(before.plate == "before")
        #expect(inside.modelContext == nil)
        #expect(inside.plate == "inside")
        #expect(!gone.isDeleted)
        #expect(discarded.modelContext === context)
        #expect(discarded.plate == "discarded")
        try context.save()
        let found = try ModelContext(container).fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.plate)]))
        #expect(found.map(\.plate) == ["before", "discarded", "gone", "saved"])
        #expect(found.map(\.wheels) == [4, 4, 4, 3])
    }
}
