import CoreData
import Foundation
import SwiftData
import Testing

@Suite("What stores do")
final class StoreConformanceTests {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString)/Fleet.store")

    deinit { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }

    private func open() throws -> ModelContainer {
        try ModelContainer(for: Truck.self, configurations: ModelConfiguration(url: url))
    }

    @Test("s.17 deleting a superclass's models deletes its subclasses', unless they are left out")
    func subclasses() throws {
        let context = ModelContext(try open())
        context.insert(Truck(plate: "T", load: 1))
        context.insert(Vehicle(plate: "V"))
        try context.save()
        try context.delete(model: Vehicle.self, includeSubclasses: false)
        try context.save()
        #expect(try context.fetch(FetchDescriptor<Vehicle>()).map(\.plate) == ["T"])
        try context.delete(model: Vehicle.self)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Vehicle>()) == 0)
    }

    @Test("s.23 each save is one transaction, of which the process, the store and the order of changes are known")
    func transactions() throws {
        let context = ModelContext(try open())
        let first = Vehicle(plate: "1")
        context.insert(first)
        try context.save()
        first.wheels = 2
        context.insert(Vehicle(plate: "2"))
        try context.save()
        let all = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        #expect(all.map(\.changes.count) == [1, 2])
        #expect(Set(all.map(\.storeIdentifier)) == [first.persistentModelID.storeIdentifier])
        #expect(all.allSatisfy { !$0.processIdentifier.isEmpty })
        #expect(all[0].timestamp <= all[1].timestamp)
        #expect(all[0].token < all[1].token)
        guard case .insert(let insert as DefaultHistoryInsert<Vehicle>) = all[0].changes.first else {
            Issue.record("the first change is no insertion: \(all)")
            return
        }
        #expect(insert.changedPersistentIdentifier == first.persistentModelID)
        #expect(insert.transactionIdentifier == all[0].transactionIdentifier)
    }

    @Test("s.24 an actor's context is used by the actor alone, one job after the other")
    func actorContext() async throws {
        let fleet = Fleet(modelContainer: try open())
        let ids = try await withThrowingTaskGroup(of: PersistentIdentifier.self) { group in
            for number in 1...8 { group.addTask { try await fleet.add("\(number)") } }
            return try await group.reduce(into: Set<PersistentIdentifier>()) { $0.insert($1) }
        }
        #expect(ids.count == 8)
        #expect(try ModelContext(open()).fetchCount(FetchDescriptor<Vehicle>()) == 8)
        #expect(await fleet.isOfContainer)
    }

    @Test("s.29 the model for Core Data has the entities and attributes by the same names")
    func managedModel() throws {
        let model = try #require(NSManagedObjectModel.makeManagedObjectModel(for: [Truck.self, Trip.self]))
        #expect(Set(model.entitiesByName.keys) == ["Vehicle", "Truck", "Trip", "Stop", "Guide"])
        let truck = try #require(model.entitiesByName["Truck"])
        #expect(truck.superentity?.name == "Vehicle")
        #expect(Set(truck.attributesByName.keys) == ["wheels", "plate", "load"])
        let trip = try #require(model.entitiesByName["Trip"])
        #expect(trip.relationshipsByName["stops"]?.inverseRelationship?.name == "trip")
        #expect(trip.relationshipsByName["stops"]?.deleteRule == .cascadeDeleteRule)
    }

    @Test("s.29 a store is in a file of its configuration's name, default.store if it has none")
    func places() throws {
        #expect(ModelConfiguration().url.lastPathComponent == "default.store")
        #expect(ModelConfiguration("Books").url.lastPathComponent == "Books.store")
        #expect(ModelConfiguration(url: url).url == url)
        _ = try open()
        #expect(FileManager.default.fileExists(atPath: url.path))
    }
}
