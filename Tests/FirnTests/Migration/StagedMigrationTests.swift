import Firn
import FirnLog
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Migration in stages, as a program gives them in the store's options.
@Suite("Staged migration")
struct StagedMigrationTests {
    private static let versions = [
        "Aircraft: name String, registration String",
        "Aircraft: name String, registration String, tail String",
        "Aircraft: !tail String = none, name String",
        "Aircraft: !tail String = none, name String, seats Integer32",
    ]

    private let store: MigratingStore
    private let models: [NSManagedObjectModel]

    init() throws {
        store = try MigratingStore()
        models = try Self.versions.map(ModelText.model)
        try store.with(models[0].copy() as! NSManagedObjectModel) { context in
            _ = context.make("Aircraft", ["name": "Blériot", "registration": "F-1909"])
        }
    }

    private func reference(_ index: Int) -> NSManagedObjectModelReference {
        NSManagedObjectModelReference(model: models[index], versionChecksum: models[index].versionChecksum)
    }

    private func custom(
        _ from: Int, _ to: Int,
        will: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)? = nil,
        did: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)? = nil
    ) -> NSCustomMigrationStage {
        let stage = NSCustomMigrationStage(migratingFrom: reference(from), to: reference(to))
        stage.willMigrateHandler = will
        stage.didMigrateHandler = did
        return stage
    }

    private func lightweight(_ indexes: Int...) -> NSLightweightMigrationStage {
        NSLightweightMigrationStage(indexes.map { models[$0].versionChecksum })
    }

    /// Opens the store with a version, by stages.
    private func open(_ index: Int, _ stages: [NSMigrationStage]) throws -> [[String: String]] {
        let coordinator = try store.coordinator(
            models[index].copy() as! NSManagedObjectModel,
            [NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager(stages)])
        defer { for store in coordinator.persistentStores { try? coordinator.remove(store) } }
        return try StoreState(coordinator.context()).objects.values.map { $0 }
    }

    /// What Apple's own example does: fill the new attribute before it becomes mandatory.
    private func fill(_ manager: NSStagedMigrationManager, _ key: String, from old: String) throws {
        let context = try #require(manager.container).newBackgroundContext()
        try context.performAndWait {
            for aircraft in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Aircraft")) {
                aircraft.setValue(aircraft.value(forKey: old), forKey: key)
            }
            try context.save()
        }
    }

    @Test("goes through lightweight stages and handlers in order, and ends at the model")
    func wholeWay() throws {
        var told: [String] = []
        let stages = [
            lightweight(0, 1),
            custom(
                1, 2,
                will: { manager, stage in
                    told.append("will")
                    #expect(manager.container?.managedObjectModel == stage.currentModel.resolvedModel)
                    try self.fill(manager, "tail", from: "registration")
                },
                did: { manager, stage in
                    told.append("did")
                    #expect(manager.container?.managedObjectModel == stage.nextModel.resolvedModel)
                }),
            lightweight(2, 3),
        ]
        let found = try open(3, stages)
        #expect(told == ["will", "did"])
        #expect(found.map { $0["tail"] } == ["F-1909"])
        #expect(found[0]["name"] == "Blériot")
        let dumps = try StoredTables.dumps(store.url)
        #expect(dumps.present == dumps.rebuilt)
    }

    @Test("goes from where a stage ends to where the next one begins")
    func between() throws {
        let filling = custom(1, 2, will: { manager, _ in try self.fill(manager, "tail", from: "registration") })
        #expect(try open(3, [lightweight(0), filling, lightweight(3)]).map { $0["tail"] } == ["F-1909"])
    }

    @Test("goes from a stage to a lightweight one of several versions")
    func several() throws {
        _ = try open(3, [custom(0, 1), lightweight(2, 3)])
        #expect(try store.storedModel().versionChecksum == models[3].versionChecksum)
    }

    @Test("says in Core Data's error why rows are refused")
    func refusedRows() throws {
        try store.with(models[0].copy() as! NSManagedObjectModel) { _ = $0.make("Aircraft", ["name": "Blériot"]) }
        let model = try ModelText.model(Self.versions[0] + ", unique name")
        let stage = NSLightweightMigrationStage([models[0].versionChecksum, model.versionChecksum])
        let error = #expect(throws: NSError.self) {
            try store.coordinator(
                model, [NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager([stage])])
        }
        #expect(error?.domain == NSCocoaErrorDomain)
        #expect(error?.code == NSMigrationConstraintViolationError)
    }

    @Test("does nothing for a store of the model's own version")
    func nothing() throws {
        let head = try StoredTables.head(store.url)
        _ = try open(0, [custom(0, 1, will: { _, _ in Issue.record("no stage is due") })])
        #expect(try StoredTables.head(store.url) == head)
    }

    @Test("calls didMigrateHandler again if it did not come to its end, and only then")
    func interrupted() throws {
        struct Stop: Error {}
        var count = 0
        let stage = custom(0, 1, did: { manager, _ in
            count += 1
            if count == 1 { throw Stop() }
            try self.fill(manager, "tail", from: "name")
        })
        #expect(throws: Stop.self) { try open(1, [stage]) }
        #expect(try open(1, [stage]).map { $0["tail"] } == ["Blériot"])
        _ = try open(1, [stage])
        #expect(count == 2)
    }

    @Test("calls didMigrateHandler again if it did not come to its end, also if the history was trimmed meanwhile")
    func trimmed() throws {
        struct Stop: Error {}
        #expect(throws: Stop.self) { try open(1, [custom(0, 1, did: { _, _ in throw Stop() })]) }
        try store.with(models[1].copy() as! NSManagedObjectModel) { context in
            _ = context.make("Aircraft", ["name": "Antoinette"])
        }
        let coordinator = try store.coordinator(models[1].copy() as! NSManagedObjectModel)
        try coordinator.trimHistory(keeping: HistoryRetention(transactionCountMax: 0))
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        var count = 0
        let stage = custom(0, 1, did: { _, _ in count += 1 })
        for _ in 0..<2 { _ = try open(1, [stage]) }
        #expect(count == 1)
    }

    @Test("leaves the store as it was when willMigrateHandler throws")
    func refused() throws {
        struct Stop: Error {}
        let checksum = try store.storedModel().versionChecksum
        #expect(throws: Stop.self) { try open(1, [custom(0, 1, will: { _, _ in throw Stop() })]) }
        #expect(try store.storedModel().versionChecksum == checksum)
    }

    @Test("does not begin with a version that no stage knows: 134504")
    func unknown() throws {
        let source = #expect(throws: NSError.self) { try open(2, [custom(1, 2)]) }
        #expect(source?.code == NSManagedObjectModelReferenceNotFoundError)
        #expect(source?.localizedDescription.contains("no stage begins with it") == true)
        let target = #expect(throws: NSError.self) { try open(3, [custom(0, 1)]) }
        #expect(target?.code == NSManagedObjectModelReferenceNotFoundError)
    }

    @Test("does not go back: 134506")
    func backward() throws {
        _ = try open(1, [lightweight(0, 1)])
        let error = #expect(throws: NSError.self) { try open(0, [lightweight(0, 1)]) }
        #expect(error?.code == NSStagedMigrationBackwardMigrationError)
    }

    @Test("says that the model at the end of a lightweight stage is nowhere: 134504")
    func missingModel() throws {
        let stages = [
            NSLightweightMigrationStage([models[0].versionChecksum, "nowhere"]),
            NSLightweightMigrationStage(["nowhere", models[1].versionChecksum]),
        ]
        let error = #expect(throws: NSError.self) { try open(1, stages) }
        #expect(error?.code == NSManagedObjectModelReferenceNotFoundError)
    }
}
