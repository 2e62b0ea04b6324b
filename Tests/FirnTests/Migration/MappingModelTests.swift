import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Splits names in two: a policy of a program's own.
final class SplittingPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        let made = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance])
        let names = (sInstance.value(forKey: "name") as? String ?? "").split(separator: " ").map(String.init)
        made.first?.setValue(names.first, forKey: "first")
        made.first?.setValue(names.last, forKey: "last")
        (manager.userInfo?["seen"] as? NSMutableArray)?.add(names.count)
        if let error = manager.userInfo?["cancel"] as? NSError { manager.cancelMigrationWithError(error) }
    }

    override func value(ofMethod name: String, arguments: [Any?]) throws -> Any? {
        guard name == "shout:" else { return try super.value(ofMethod: name, arguments: arguments) }
        return (arguments[0] as? String)?.uppercased()
    }
}

/// A policy with an initializer, written as on Apple's systems.
final class NumberingPolicy: NSEntityMigrationPolicy {
    private var count: Int

    override init() {
        count = 5
        super.init()
    }

    override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {
        count += 1
        (manager.userInfo?["seen"] as? NSMutableArray)?.add(count)
    }
}

/// As the plugin `PortedSources` writes it for `@objc(Splitter) class SplittingPolicy`.
final class Splitter_ClassName: GeneratedClassName {
    override class var objectClass: AnyClass { SplittingPolicy.self }
}

@Suite("A mapping model")
struct MappingModelTests {
    private let old = "Person: name String, pets ->> Pet.owner\nPet: call String, owner -> Person.pets"
    private let new = """
        Person: first String, last String, loud String, pets ->> Pet.owner ordered
        Pet: call String, owner -> Person.pets
        """
    private let directory: TemporaryDirectory
    private let store: MigratingStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try MigratingStore()
        try store.with(old) { context in
            let ada = context.make("Person", ["name": "Ada Lovelace"])
            _ = context.make("Pet", ["call": "Rex", "owner": ada])
            _ = context.make("Person", ["name": "Alan Turing"])
        }
    }

    private func mapping() throws -> (NSMigrationManager, NSMappingModel) {
        let (source, destination) = (try ModelText.model(old), try ModelText.model(new))
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: source, destinationModel: destination)
        let person = try #require(mapping.entityMappingsByName["IEM_Transform_Person"])
        person.mappingType = .customEntityMappingType
        person.entityMigrationPolicyClassName = String(reflecting: SplittingPolicy.self)
        let loud = NSPropertyMapping()
        loud.name = "loud"
        loud.valueExpression = NSExpression(format: "FUNCTION($entityPolicy, \"shout:\", $source.name)")
        person.attributeMappings?.append(loud)
        return (NSMigrationManager(sourceModel: source, destinationModel: destination), mapping)
    }

    private func migrate(_ manager: NSMigrationManager, _ mapping: NSMappingModel) throws {
        try manager.migrateStore(
            from: store.url, type: .sqlite, mapping: mapping, to: directory.file("New.sqlite"), type: .sqlite)
    }

    @Test("leads objects, relationships and values of policies into a new store")
    func policies() throws {
        let (manager, mapping) = try mapping()
        let seen = NSMutableArray()
        manager.userInfo = ["seen": seen]
        try migrate(manager, mapping)
        #expect(manager.migrationProgress == 1)
        #expect(seen.count == 2)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try ModelText.model(new))
        _ = try coordinator.addPersistentStore(type: .sqlite, at: directory.file("New.sqlite"))
        let state = try StoreState(coordinator.context())
        let people = Set(state.objects.filter { $0.key.hasPrefix("Person") }.values.map { $0["last"] ?? "" })
        #expect(people == ["Lovelace", "Turing"])
        let ada = try #require(state.objects.first { $0.value["first"] == "Ada" })
        #expect(ada.value["loud"] == "ADA LOVELACE")
        #expect(state[ada.value["pets"] ?? ""]["call"] == "Rex")
        #expect(state[ada.value["pets"] ?? ""]["owner"] == ada.key)
    }

    @Test("that is inferred reads no transient values, which may be of another type")
    func transientValues() throws {
        let models = try ["Note: mark Decimal = 2.5 transient", "Note: mark UUID"].map(ModelText.model)
        let (store, copy) = (try MigratingStore(), try MigratingStore())
        try store.with(models[0]) { _ = $0.make("Note") }
        try NSMigrationManager(sourceModel: models[0], destinationModel: models[1]).migrateStore(
            from: store.url, type: .sqlite,
            mapping: .inferredMappingModel(forSourceModel: models[0], destinationModel: models[1]), to: copy.url,
            type: .sqlite)
        #expect(try copy.with(models[1]).objects == ["Note/p1": [:]])
    }

    @Test("that is cancelled stops with the error, and leaves no new store")
    func cancelling() throws {
        let (manager, mapping) = try mapping()
        let stop = NSError(domain: "test", code: 7)
        manager.userInfo = ["cancel": stop]
        let error = #expect(throws: NSError.self) { try self.migrate(manager, mapping) }
        #expect(error?.code == 7)
        #expect(!FileManager.default.fileExists(atPath: directory.file("New.sqlite").path))
        #expect(!FileManager.default.fileExists(atPath: directory.file("New.sqlite").path + "-log"))
    }

    @Test(
        "finds a policy by its class's name, also without its module, with another one, or as Objective-C knows it",
        arguments: ["SplittingPolicy", ".SplittingPolicy", "App.SplittingPolicy", "Splitter"])
    func policyNames(_ name: String) throws {
        let (manager, mapping) = try mapping()
        mapping.entityMappingsByName["IEM_Transform_Person"]?.entityMigrationPolicyClassName = name
        manager.userInfo = ["seen": NSMutableArray()]
        try migrate(manager, mapping)
        #expect((manager.userInfo?["seen"] as? NSMutableArray)?.count == 2)
    }

    @Test("makes each mapping's policy by the policy's own initializer, which need not be required")
    func policyInitializer() throws {
        let (manager, mapping) = try mapping()
        for entity in mapping.entityMappings {
            entity.entityMigrationPolicyClassName = "NumberingPolicy"
            entity.attributeMappings?.removeAll { $0.name == "loud" }
        }
        manager.userInfo = ["seen": NSMutableArray()]
        try migrate(manager, mapping)
        #expect(manager.userInfo?["seen"] as? [Int] == [6, 6])
    }

    @Test("with a policy that is no class of the program is refused")
    func unknownPolicy() throws {
        let (manager, mapping) = try mapping()
        mapping.entityMappings[0].entityMigrationPolicyClassName = "Nowhere.Policy"
        let error = #expect(throws: NSError.self) { try self.migrate(manager, mapping) }
        #expect(error?.code == NSEntityMigrationPolicyError)
    }

    @Test("that is inferred migrates a store in its place, and the store stays itself")
    func inPlace() throws {
        let text = "Person: name String, nick String, pets ->> Pet.owner\nPet: call String, owner -> Person.pets"
        let (source, destination) = (try ModelText.model(old), try ModelText.model(text))
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: source, destinationModel: destination)
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: store.url)
        let manager = NSMigrationManager(sourceModel: source, destinationModel: destination)
        try manager.migrateStore(from: store.url, type: .sqlite, mapping: mapping, to: store.url, type: .sqlite)
        #expect(manager.migrationProgress == 1)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: destination)
        let opened = try coordinator.addPersistentStore(type: .sqlite, at: store.url)
        #expect(opened.identifier == metadata[NSStoreUUIDKey] as? String)
        #expect(try coordinator.context().strings("Person", "name") == ["Ada Lovelace", "Alan Turing"])
        let other = NSMigrationManager(sourceModel: source, destinationModel: destination)
        let error = #expect(throws: NSError.self) {
            try other.migrateStore(
                from: self.store.url, type: .sqlite, mapping: mapping, to: self.store.url, type: .sqlite)
        }
        #expect(error?.code == NSMigrationManagerSourceStoreError)
    }

    @Test("that cannot be inferred is told as Core Data tells it")
    func notInferred() throws {
        let error = #expect(throws: NSError.self) {
            try NSMappingModel.inferredMappingModel(
                forSourceModel: ModelText.model("A: x String"), destinationModel: ModelText.model("A: x Date"))
        }
        #expect(error?.code == NSInferredMappingModelError)
        #expect(error?.userInfo["attribute"] as? String == "x")
    }

    @Test("of the corpus is read from Xcode's XML", .needsCorpus)
    func corpus() throws {
        for url in Corpus.urls(below: "mappings", withExtension: "xcmappingmodel") {
            let model = try NSMappingModel.load(contentsOf: url)
            #expect(!model.entityMappings.isEmpty, "\(url.lastPathComponent)")
            for mapping in model.entityMappings {
                #expect(mapping.destinationEntityName != nil, "\(url.lastPathComponent)")
                #expect(mapping.attributeMappings?.isEmpty == false, "\(url.lastPathComponent) \(mapping.name ?? "")")
            }
        }
        let moody = try NSMappingModel.load(
            contentsOf: Corpus.url("mappings/objcio__core-data/Moody 5-Moody 6.xcmappingmodel"))
        #expect(
            moody.entityMappingsByName["CountryToCountry"]?.entityMigrationPolicyClassName
                == "Migrations.Country5ToCountry6Policy")
    }
}
