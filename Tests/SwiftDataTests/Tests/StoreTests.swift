import CoreData
import Foundation
import SwiftData
import Testing

@Model
class Vehicle {
    var wheels: Int = 4
    @Attribute(.preserveValueOnDeletion) var plate: String

    init(plate: String) { self.plate = plate }
}

@Model
final class Truck: Vehicle {
    var load: Double = 0

    init(plate: String, load: Double) {
        self.load = load
        super.init(plate: plate)
    }
}

@ModelActor
actor Fleet {
    func add(_ plate: String) throws -> PersistentIdentifier {
        let vehicle = Vehicle(plate: plate)
        modelContext.insert(vehicle)
        try modelContext.save()
        return vehicle.persistentModelID
    }

    /// Whether the executor's context is the actor's, and of the actor's container.
    var isOfContainer: Bool {
        modelContext === modelExecutor.modelContext && modelContext.container === modelContainer
    }

    func plate(_ id: PersistentIdentifier) -> String? { self[id, as: Vehicle.self]?.plate }
}

enum FirstVersion: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Person.self] }

    @Model final class Person {
        var name: String
        init(name: String) { self.name = name }
    }
}

enum SecondVersion: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Person.self] }

    @Model final class Person {
        @Attribute(originalName: "name") var fullName: String
        var initials: String = ""
        init(fullName: String) { self.fullName = fullName }
    }
}

enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [FirstVersion.self, SecondVersion.self] }
    static var stages: [MigrationStage] {
        [
            .custom(fromVersion: FirstVersion.self, toVersion: SecondVersion.self) { context in
                for person in try context.fetch(FetchDescriptor<FirstVersion.Person>()) { person.name += " B" }
            } didMigrate: { context in
                for person in try context.fetch(FetchDescriptor<SecondVersion.Person>()) {
                    person.initials = String(person.fullName.split(separator: " ").compactMap(\.first))
                }
            }
        ]
    }
}

@Suite("Stores on disk: identity, history, migration, other stacks")
final class StoreTests {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString)/Fleet.store")

    deinit { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }

    private func open(
        missingTables: MissingTables = .startFresh, missingLog: MissingLog = .adopt
    ) throws -> ModelContainer {
        var configuration = ModelConfiguration(url: url)
        configuration.missingTables = missingTables
        configuration.missingLog = missingLog
        return try ModelContainer(for: Truck.self, configurations: configuration)
    }

    private func plates(_ container: ModelContainer) throws -> [String] {
        try ModelContext(container).fetch(FetchDescriptor<Truck>()).map(\.plate)
    }

    private func addTruck() throws {
        let context = ModelContext(try open())
        context.insert(Truck(plate: "A 1", load: 2))
        try context.save()
    }

    private func delete(_ suffixes: [String]) {
        for suffix in suffixes { try? FileManager.default.removeItem(atPath: url.path + suffix) }
    }

    @Test("A store whose file was deleted is new, unless its configuration says to rebuild it")
    func deleted() throws {
        try addTruck()
        delete(["", "-wal", "-shm"])
        #expect(try plates(open(missingTables: .rebuild)) == ["A 1"])
        delete(["", "-wal", "-shm"])
        #expect(try plates(open()) == [])
    }

    @Test("A file without its log opens with its models, unless its configuration says to refuse it")
    func withoutLog() throws {
        try addTruck()
        delete(["-log"])
        #expect(throws: SwiftDataError.self) { try open(missingLog: .refuse) }
        #expect(try plates(open()) == ["A 1"])
    }

    @Test(
        "A configuration says whether the tables of the history are made next to the store",
        arguments: [HistoryTables.onUse, .never])
    func historyTables(_ tables: HistoryTables) throws {
        var configuration = ModelConfiguration(url: url)
        configuration.historyTables = tables
        let container = try ModelContainer(for: Truck.self, configurations: configuration)
        let context = ModelContext(container)
        for plate in ["A 1", "B 2"] {
            context.insert(Truck(plate: plate, load: 2))
            try context.save()
        }
        let first = try #require(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).first)
        let past = try container.context(asOf: .token(first.token))
        #expect(try past.fetch(FetchDescriptor<Truck>()).map(\.plate) == ["A 1"])
        #expect(FileManager.default.fileExists(atPath: url.path + "-history") == (tables == .onUse))
    }

    @Test("s.17 a subclass has its superclass's properties, and is found among its models")
    func inheritance() throws {
        let context = ModelContext(try open())
        let truck = Truck(plate: "T", load: 3.5)
        truck.wheels = 6
        context.insert(truck)
        context.insert(Vehicle(plate: "V"))
        try context.save()
        let found = try ModelContext(open()).fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.plate)]))
        #expect(found.map(\.plate) == ["T", "V"])
        #expect((found[0] as? Truck)?.load == 3.5)
        #expect(found[0].wheels == 6)
        #expect(!(found[1] is Truck))
        let heavy = #Predicate<Truck> { $0.load > 3 && $0.wheels > 4 }
        #expect(try context.fetchCount(FetchDescriptor<Truck>(predicate: heavy)) == 1)
    }

    @Test("s.24 identifiers cross actors, and last until the store is opened again")
    func actors() async throws {
        let container = try open()
        let fleet = Fleet(modelContainer: container)
        let id = try await fleet.add("A")
        #expect(await fleet.plate(id) == "A")
        #expect((ModelContext(container).model(for: id) as? Vehicle)?.plate == "A")
        let data = try JSONEncoder().encode(id)
        let again = try JSONDecoder().decode(PersistentIdentifier.self, from: data)
        #expect((ModelContext(try open()).model(for: again) as? Vehicle)?.plate == "A")
    }

    @Test("s.23 the history has authors, changed properties and tombstones, and is deleted from its beginning")
    func history() throws {
        let context = ModelContext(try open())
        context.author = "test"
        let vehicle = Vehicle(plate: "A")
        context.insert(vehicle)
        try context.save()
        vehicle.wheels = 3
        try context.save()
        context.author = nil
        context.delete(vehicle)
        try context.save()
        let all = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        #expect(all.map(\.author) == ["test", "test", nil])
        guard case .update(let update as DefaultHistoryUpdate<Vehicle>) = all[1].changes.first,
            case .delete(let delete as DefaultHistoryDelete<Vehicle>) = all[2].changes.first
        else {
            Issue.record("the changes are others: \(all)")
            return
        }
        #expect(update.updatedAttributes.count == 1)
        #expect(update.updatedAttributes.first == \Vehicle.wheels)
        #expect(delete.tombstone[\.plate] as? String == "A")
        #expect(delete.tombstone[\.wheels] == nil)
        let token = all[0].token
        let later = #Predicate<DefaultHistoryTransaction> { $0.token > token }
        #expect(try context.fetchHistory(HistoryDescriptor(predicate: later)).count == 2)
        let decoded = try JSONDecoder().decode(DefaultHistoryToken.self, from: JSONEncoder().encode(token))
        #expect(decoded == token)
        let first = #Predicate<DefaultHistoryTransaction> { $0.token <= token }
        try context.deleteHistory(HistoryDescriptor(predicate: first))
        let rest = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        #expect(rest.map(\.token) == all[1...].map(\.token))
    }

    @Test("erasing a container deletes the history too")
    func erase() throws {
        try addTruck()
        let container = try open()
        try container.erase()
        let context = ModelContext(container)
        #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).isEmpty)
        context.insert(Truck(plate: "B 2", load: 1))
        try context.save()
        #expect(try plates(open()) == ["B 2"])
    }

    @Test("s.28 a plan brings a store to the next version, with work before and after")
    func migration() throws {
        do {
            let schema = Schema(versionedSchema: FirstVersion.self)
            let old = ModelContext(try ModelContainer(for: schema, configurations: ModelConfiguration(url: url)))
            old.insert(FirstVersion.Person(name: "Ada"))
            try old.save()
        }
        let schema = Schema(versionedSchema: SecondVersion.self)
        let container = try ModelContainer(
            for: schema, migrationPlan: Plan.self, configurations: ModelConfiguration(url: url))
        let person = try #require(try ModelContext(container).fetch(FetchDescriptor<SecondVersion.Person>()).first)
        #expect(person.fullName == "Ada B")
        #expect(person.initials == "AB")
    }

    @Test("s.29 Core Data opens the same store, and each side sees what the other saved")
    func coexistence() throws {
        let context = ModelContext(try open())
        context.insert(Truck(plate: "S", load: 1))
        try context.save()
        let model = try #require(NSManagedObjectModel.makeManagedObjectModel(for: [Truck.self]))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [NSPersistentHistoryTrackingKey: true])
        let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        other.persistentStoreCoordinator = coordinator
        try other.performAndWait {
            let found = try other.fetch(NSFetchRequest<NSManagedObject>(entityName: "Truck"))
            #expect(found.map { $0.value(forKey: "plate") as? String } == ["S"])
            found.first?.setValue("C", forKey: "plate")
            try other.save()
        }
        #expect(try ModelContext(open()).fetch(FetchDescriptor<Truck>()).map(\.plate) == ["C"])
    }

    @Test("a container divides a schema among the stores of several configurations")
    func configurations() throws {
        let folder = TestFolder()
        let configurations = ["vehicles": Schema([Vehicle.self]), "volumes": Schema([Volume.self])].map { name, part in
            ModelConfiguration(name, schema: part, url: folder.file(name + ".store"))
        }
        let schema = Schema([Vehicle.self, Volume.self])
        let container = try ModelContainer(
            for: schema, migrationPlan: nil, configurations: configurations[0], configurations[1])
        let context = ModelContext(container)
        let (vehicle, volume) = (Vehicle(plate: "A"), Volume(title: "V"))
        context.insert(vehicle)
        context.insert(volume)
        try context.save()
        for (model, name) in [(vehicle as any PersistentModel, "vehicles"), (volume, "volumes")] {
            let store = try #require(model.persistentModelID.storeIdentifier)
            #expect(container.configurationName(forStoreIdentifier: store) == name)
        }
    }

    @Test("s.9 a schema is encoded and decoded")
    func schemaCoding() throws {
        let schema = Schema([Trip.self], version: Schema.Version(1, 2, 3))
        let decoded = try JSONDecoder().decode(Schema.self, from: JSONEncoder().encode(schema))
        #expect(decoded == schema)
        #expect(decoded.entitiesByName.keys.sorted() == ["Guide", "Stop", "Trip"])
        #expect(decoded.entitiesByName["Trip"]?.relationshipsByName["stops"]?.inverseName == "trip")
        #expect(decoded.entitiesByName["Trip"]?.uniquenessConstraints == [["name"]])
    }
}
