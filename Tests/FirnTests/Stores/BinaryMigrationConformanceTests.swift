import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Conformance: migrating binary stores")
struct BinaryMigrationConformanceTests {
    private let directory: TemporaryDirectory
    private var url: URL { directory.file("Library.binary") }

    init() throws { directory = try TemporaryDirectory() }

    private static let first = """
        Person: name String, age Integer32, pets ->> Pet.owner
        Pet: call String, owner -> Person.pets
        """

    private func open(
        _ text: String, _ options: [AnyHashable: Any]? = MigratingStore.lightweight
    ) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try ModelText.model(text))
        try coordinator.addPersistentStore(type: .binary, at: url, options: options)
        return coordinator
    }

    /// Ada with two pets, after one that was deleted, so that keys and references are not the same numbers.
    private func fill() throws {
        let coordinator = try open(Self.first)
        coordinator.setMetadata(["edition": 2], for: try #require(coordinator.persistentStores.first))
        let context = coordinator.context()
        let gone = context.make("Person", ["name": "Eve"])
        try context.save()
        context.delete(gone)
        let ada = context.make("Person", ["name": "Ada", "age": 36])
        _ = context.make("Pet", ["call": "Rex", "owner": ada])
        _ = context.make("Pet", ["call": "Tom", "owner": ada])
        try context.save()
    }

    private func refusal(_ text: String, _ options: [AnyHashable: Any]?) throws -> NSError {
        let error = #expect(throws: NSError.self) { try open(text, options) }
        return try #require(error)
    }

    @Test("h.14 objects keep values, relationships and URIs; what is new has its default, what was renamed its value")
    func lightweight() throws {
        try fill()
        let uris = try Set(open(Self.first).context().all("Person").map { $0.objectID.uriRepresentation().path })
        let second = """
            Human was Person: fullName String was name, !city String = Rome, animals ->> Animal.keeper was pets
            Animal was Pet: call String, keeper -> Human.animals was owner
            """
        do {
            let context = try open(second).context()
            let ada = try #require(try context.all("Human").first)
            #expect(ada.text("fullName") == "Ada")
            #expect(ada.text("city") == "Rome")
            #expect(Set(try context.all("Animal").map { $0.text("call") }) == ["Rex", "Tom"])
            #expect(try context.all("Animal").allSatisfy { $0.value(forKey: "keeper") as? NSManagedObject === ada })
            let path = ada.objectID.uriRepresentation().path
            #expect(uris == [path.replacingOccurrences(of: "Human", with: "Person")])
            _ = context.make("Human", ["fullName": "Bob"])
            try context.save()
        }
        // The file is of the new model now.
        let coordinator = try open(second, nil)
        #expect(try coordinator.context().strings("Human", "fullName") == ["Ada", "Bob"])
        let store = try #require(coordinator.persistentStores.first)
        #expect(coordinator.metadata(for: store)["edition"] as? Int == 2)
    }

    @Test("h.14 stages with handlers are an error, and the store stays as it was: no handler would be called")
    func stages() throws {
        try fill()
        let second = Self.first + ", tail String"
        let references = try [Self.first, second].map(ModelText.model).map {
            NSManagedObjectModelReference(model: $0, versionChecksum: $0.versionChecksum)
        }
        let stage = NSCustomMigrationStage(migratingFrom: references[0], to: references[1])
        func options(_ stage: NSMigrationStage) -> [AnyHashable: Any] {
            let stages: [AnyHashable: Any] = [
                NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager([stage])
            ]
            return MigratingStore.lightweight.merging(stages) { $1 }
        }
        stage.didMigrateHandler = { _, _ in }
        #expect(try refusal(second, options(stage)).code == CocoaError.Code.migration.rawValue)
        #expect(try open(Self.first).context().all("Pet").count == 2)
        _ = try open(second, options(NSLightweightMigrationStage(references.map(\.versionChecksum))))
    }

    @Test("h.14 the store keeps its UUID")
    func identifier() throws {
        try fill()
        let before = try open(Self.first).persistentStores.first?.identifier
        #expect(try open("Person: name String").persistentStores.first?.identifier == before)
    }

    @Test("h.14 what was not allowed is 134100, what cannot be inferred 134190, and the file stays as it was")
    func refused() throws {
        try fill()
        let before = try Data(contentsOf: url)
        #expect(try refusal("Person: name String", nil).code == NSPersistentStoreIncompatibleVersionHashError)
        #expect(
            try refusal("Person: name Integer32", MigratingStore.lightweight).code == NSInferredMappingModelError)
        var options = MigratingStore.lightweight
        options[NSReadOnlyPersistentStoreOption] = NSNumber(value: true)
        #expect(try refusal("Person: name String", options).code == NSPersistentStoreIncompatibleVersionHashError)
        #expect(try Data(contentsOf: url) == before)
    }

    @Test("h.11 a migration manager leads a binary store into one on disk")
    func manager() throws {
        try fill()
        let (old, new) = (try ModelText.model(Self.first), try ModelText.model("Person: name String"))
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
        let place = directory.file("Library.sqlite")
        try NSMigrationManager(sourceModel: old, destinationModel: new).migrateStore(
            from: url, type: .binary, mapping: mapping, to: place, type: .sqlite)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: new)
        try coordinator.addPersistentStore(type: .sqlite, at: place)
        #expect(try coordinator.context().strings("Person", "name") == ["Ada"])
    }

    @Test("h.14 rows that break the new model's constraints are 134111")
    func constraint() throws {
        do {
            let context = try open("Person: name String").context()
            for _ in 0..<2 { _ = context.make("Person", ["name": "Ada"]) }
            try context.save()
        }
        let error = #expect(throws: NSError.self) {
            let model = try ModelText.model("Person: name String")
            model.entitiesByName["Person"]?.uniquenessConstraints = [["name"]]
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(type: .binary, at: url, options: MigratingStore.lightweight)
        }
        #expect(error?.code == NSMigrationConstraintViolationError)
    }

    @Test("h.11 a store on disk that was migrated goes on in memory, with its history")
    func intoMemory() throws {
        let store = try MigratingStore()
        let old = "Person: name String, age Integer32"
        let new = "Person: name String, !city String = Rome"
        _ = try store.migrate(old, to: new) { _ = $0.make("Person", ["name": "Ada", "age": 36]) }
        let coordinator = try store.coordinator(try ModelText.model(new))
        let onDisk = try #require(coordinator.persistentStores.first)
        try coordinator.migratePersistentStore(onDisk, to: directory.url, type: .inMemory)
        let context = coordinator.context()
        #expect(try context.strings("Person", "city") == ["Rome"])
        _ = context.make("Person", ["name": "Bob"])
        try context.save()
        #expect(try coordinator.context().strings("Person", "name") == ["Ada", "Bob"])
    }
}
