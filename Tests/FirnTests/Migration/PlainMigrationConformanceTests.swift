import Firn
import FirnModel
import Foundation
import Synchronization
import StoreSupport
import TestSupport
import Testing

/// The application's class of today, which no migration may make objects of.
final class MigratedPlayer: NSManagedObject {
    static let madeCount = Mutex(0)

    override func awakeFromInsert() {
        super.awakeFromInsert()
        Self.madeCount.withLock { $0 += 1 }
    }

    override func validateForInsert() throws {
        throw NSError(domain: "MigratedPlayer", code: 1)
    }
}

/// Notes the classes of the objects that it is given and makes.
final class WitnessingPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        let made = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance])
        let seen = (manager.userInfo?["classes"] as? NSMutableArray) ?? NSMutableArray()
        for object in [sInstance] + made { seen.add("\(type(of: object))") }
    }
}

@Suite("Migration with plain objects", .serialized)
struct PlainMigrationConformanceTests {
    private static let old = "Player: name String"
    private static let new = "Player: name String, !team String"

    private let store: MigratingStore

    init() throws {
        store = try MigratingStore()
        try store.with(Self.old) { _ = $0.make("Player", ["name": "Ada"]) }
    }

    private func model(_ text: String) throws -> NSManagedObjectModel {
        let model = try ModelText.model(text)
        model.entitiesByName["Player"]?.managedObjectClassName = String(reflecting: MigratedPlayer.self)
        return model
    }

    private func migrate(_ body: (NSMigrationManager) -> Void = { _ in }) throws -> (URL, NSMigrationManager) {
        let manager = NSMigrationManager(sourceModel: try model(Self.old), destinationModel: try model(Self.new))
        let mapping = NSMappingModel()
        let player = NSEntityMapping()
        player.name = "PlayerToPlayer"
        player.sourceEntityName = "Player"
        player.destinationEntityName = "Player"
        player.mappingType = .customEntityMappingType
        player.entityMigrationPolicyClassName = String(reflecting: WitnessingPolicy.self)
        let name = NSPropertyMapping()
        name.name = "name"
        name.valueExpression = NSExpression(format: "$source.name")
        player.attributeMappings = [name]
        mapping.entityMappings = [player]
        body(manager)
        let target = store.url.deletingLastPathComponent().appending(path: "New.sqlite")
        try manager.migrateStore(
            from: store.url, sourceType: NSSQLiteStoreType, with: mapping, toDestinationURL: target,
            destinationType: NSSQLiteStoreType)
        return (target, manager)
    }

    @Test("m.27 a migration manager makes plain objects, never the application's, and checks no rules")
    func plainObjects() throws {
        let seen = NSMutableArray()
        let before = MigratedPlayer.madeCount.withLock { $0 }
        let (target, _) = try migrate { $0.userInfo = ["classes": seen] }
        #expect(seen as? [String] == ["NSManagedObject", "NSManagedObject"])
        #expect(MigratedPlayer.madeCount.withLock { $0 } == before)
        // The new store has a player without the team that its model demands.
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try model(Self.new))
        try coordinator.addPersistentStore(type: .sqlite, at: target)
        let found = try coordinator.context().fetch(NSFetchRequest<NSManagedObject>(entityName: "Player"))
        #expect(found.count == 1)
        #expect(found.allSatisfy { $0 is MigratedPlayer })
    }

    @Test("m.27 the manager's models are equal to those that it was given")
    func models() throws {
        let (_, manager) = try migrate()
        #expect(manager.sourceModel == (try model(Self.old)))
        #expect(manager.destinationModel == (try model(Self.new)))
    }

    @Test("m.27 the progress of a migration manager can be observed, and ends at 1")
    func progress() throws {
        let heard = Mutex<[Float]>([])
        let (_, manager) = try migrate { $0.migrationProgressHandler = { part in heard.withLock { $0.append(part) } } }
        let parts = heard.withLock { $0 }
        #expect(parts.last == 1)
        #expect(parts.count > 2 && parts == parts.sorted())
        #expect(manager.migrationProgress == 1)
    }

    @Test("m.27 the progress of a migration at opening is told to the store's option")
    func progressAtOpening() throws {
        let heard = Mutex<[Double]>([])
        var options = MigratingStore.lightweight
        options[PersistentStoreOpeningProgressOption] = OpeningProgress { part in heard.withLock { $0.append(part) } }
        let coordinator = try store.coordinator(ModelText.model("Player: name String, team String"), options)
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        #expect(heard.withLock { $0 }.last == 1)
    }

    @Test("m.27 a handler of a stage meets plain objects")
    func stages() throws {
        let (first, second) = (try model(Self.old), try model("Player: name String, team String"))
        func reference(_ model: NSManagedObjectModel) -> NSManagedObjectModelReference {
            NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
        }
        let stage = NSCustomMigrationStage(migratingFrom: reference(first), to: reference(second))
        var seen: [String] = []
        stage.didMigrateHandler = { manager, _ in
            let context = try #require(manager.container).viewContext
            let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
            seen = try context.fetch(request).map { "\(type(of: $0))" }
        }
        let manager = NSStagedMigrationManager([stage])
        let coordinator = try store.coordinator(
            try model("Player: name String, team String"), [NSPersistentStoreStagedMigrationManagerOptionKey: manager])
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        #expect(seen == ["NSManagedObject"])
    }

    @Test("m.27 a lightweight stage that names only its target is gone through")
    func targetOnly() throws {
        let (second, third) = (Self.old + ", team String", Self.old + ", team String, age Integer16")
        let versions = try [Self.old, second, third].map(ModelText.model)
        let checksums = versions.map(\.versionChecksum)
        func reference(_ index: Int) -> NSManagedObjectModelReference {
            NSManagedObjectModelReference(model: versions[index], versionChecksum: checksums[index])
        }
        var order: [String] = []
        let custom = NSCustomMigrationStage(migratingFrom: reference(0), to: reference(1))
        custom.willMigrateHandler = { _, _ in order.append("custom") }
        let stages = [
            NSLightweightMigrationStage([checksums[0]]), custom, NSLightweightMigrationStage([checksums[2]]),
        ]
        let coordinator = try store.coordinator(
            versions[2].copy() as! NSManagedObjectModel,
            [NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager(stages)])
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        #expect(order == ["custom"])
        #expect(try store.storedModel().versionChecksum == checksums[2])
    }

    @Test("m.27 a first lightweight stage leads from a version that no stage names")
    func firstTarget() throws {
        let target = try ModelText.model("Player: name String, team String")
        let stages = [NSLightweightMigrationStage([target.versionChecksum])]
        let coordinator = try store.coordinator(
            target, [NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager(stages)])
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        #expect(try store.storedModel().versionChecksum == target.versionChecksum)
    }

    @Test("m.27 a compiled mapping model says what its source says", .needsCorpus)
    func compiledMapping() throws {
        let compiled = try NSMappingModel.load(contentsOf: Corpus.url("compiled/alemar11__CoreDataPlus/V2toV3.cdm"))
        let source = try NSMappingModel.load(
            contentsOf: Corpus.url("mappings/alemar11__CoreDataPlus/V2toV3.xcmappingmodel"))
        #expect(Set(compiled.entityMappingsByName.keys) == Set(source.entityMappingsByName.keys))
        for (name, mapping) in source.entityMappingsByName {
            let found = compiled.entityMappingsByName[name]
            #expect(found?.sourceEntityName == mapping.sourceEntityName)
            #expect(found?.entityMigrationPolicyClassName == mapping.entityMigrationPolicyClassName)
            let wanted = (mapping.attributeMappings ?? []) + (mapping.relationshipMappings ?? [])
            let all = (found?.attributeMappings ?? []) + (found?.relationshipMappings ?? [])
            #expect(Set(all.compactMap(\.name)) == Set(wanted.compactMap(\.name)))
            #expect(found?.sourceExpression == mapping.sourceExpression)
        }
    }

    @Test("m.27 a compiled mapping model is read: names, types, policies, expressions")
    func writtenMapping() throws {
        let builder = ArchiveBuilder()
        let value = builder.object("NSKeyPathExpression", [
            ("NSOperand", builder.object("NSVariableExpression", [("NSVariable", builder.text("source"))])),
            ("NSSelectorName", builder.text("valueForKeyPath:")),
            ("NSArguments", builder.array([
                builder.object("NSKeyPathSpecifierExpression", [("NSKeyPath", builder.text("name"))])
            ])),
        ])
        let property = builder.object("NSPropertyMapping", [
            ("NSDestinationPropertyName", builder.text("title")), ("NSValueExpression", value),
        ])
        let entity = builder.object("NSEntityMapping", [
            ("NSMappingName", builder.text("NoteToNote")), ("NSMappingType", .integer(5)),
            ("NSSourceEntityName", builder.text("Note")), ("NSDestinationEntityName", builder.text("Note")),
            ("NSAttributeMappings", builder.array([property])),
        ])
        let root = builder.object("NSMappingModel", [("NSEntityMappings", builder.array([entity]))])
        let directory = try TemporaryDirectory()
        for (name, bytes) in [("A.cdm", builder.binary(root)), ("B.cdm", builder.xml(root))] {
            try Data(bytes).write(to: directory.file(name))
            let mapping = try #require(NSMappingModel(contentsOf: directory.file(name))?.entityMappings.first)
            #expect(mapping.name == "NoteToNote")
            #expect(mapping.mappingType == .transformEntityMappingType)
            #expect(mapping.sourceEntityName == "Note")
            let source = NSManagedObject(entity: ModelSketch.entityInUse("Note", "name"), insertInto: nil)
            source.setValue("one", forKey: "name")
            let expression = try #require(mapping.attributeMappings?.first?.valueExpression)
            #expect(try expression.value(for: nil, substitutionVariables: ["source": source]) as? String == "one")
        }
    }
}

extension ModelSketch {
    /// An entity of a model that is in use, with one text.
    static func entityInUse(_ name: String, _ attribute: String) -> NSEntityDescription {
        let entity = Self.entity(name, [Self.attribute(attribute)])
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model(entity))
        kept.withLock { $0.append(coordinator) }
        return entity
    }

    /// Holds models, which own their entities.
    private static let kept = Mutex<[NSPersistentStoreCoordinator]>([])
}
