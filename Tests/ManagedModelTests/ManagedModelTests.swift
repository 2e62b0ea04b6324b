import CoreData
import Foundation
import Testing

/// A model that the plugin `ManagedModels` compiled, and the classes that it wrote.
@Suite("A model in a target")
struct ManagedModelTests {
    private let container: NSPersistentContainer

    init() throws {
        let url = try #require(Bundle.module.url(forResource: "Fleet", withExtension: "momd"))
        let model = try #require(NSManagedObjectModel(contentsOf: url))
        container = NSPersistentContainer(name: "Fleet", managedObjectModel: model)
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [description]
        container.loadPersistentStores { _, error in #expect(error == nil) }
    }

    @Test("is compiled with all its versions")
    func versions() throws {
        let folder = try #require(Bundle.module.url(forResource: "Fleet", withExtension: "momd"))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(names) == ["Fleet 1.mom", "Fleet 2.mom", "VersionInfo.plist"])
    }

    @Test("gives classes with properties, whole or as extensions of one's own")
    func classes() throws {
        let context = container.newBackgroundContext()
        try context.performAndWait {
            let ship = Ship(context: context)
            ship.name = "Fram"
            ship.tons = 402
            let sailor = Sailor(context: context)
            sailor.name = "Roald"
            ship.addToSailors(sailor)
            try context.save()
            let found: [Ship] = try context.fetch(Ship.fetchRequest())
            #expect(found.map(\.tons) == [402])
            #expect(sailor.ship === ship)
            #expect(sailor.greeting == "Ahoy, Roald")
        }
    }

    @Test("names classes with their module, so that class and name lead to each other")
    func classNames() throws {
        let model = container.managedObjectModel
        #expect(model.entitiesByName["Ship"]?.managedObjectClassName == NSStringFromClass(Ship.self))
        #expect(NSClassFromString(model.entitiesByName["Sailor"]?.managedObjectClassName ?? "") == Sailor.self)
        #expect(Ship.entity().name == "Ship")
    }

    @Test("A mapping model of the target is found among its resources for the models that it leads from and to")
    func mappingModel() throws {
        let folder = try #require(Bundle.module.url(forResource: "Fleet", withExtension: "momd"))
        let models = try ["Fleet 1.mom", "Fleet 2.mom"].map { name in
            try #require(NSManagedObjectModel(contentsOf: folder.appending(path: name)))
        }
        let mapping = NSMappingModel(
            from: [Bundle.module], forSourceModel: models[0], destinationModel: models[1])
        #expect(mapping?.entityMappings.first?.entityMigrationPolicyClassName == "Weighing")
        #expect(
            NSMappingModel(from: [Bundle.module], forSourceModel: models[1], destinationModel: models[0]) == nil)
    }

    @Test("sort descriptors and predicates of Swift's know the keys of its classes' properties")
    func keyNames() throws {
        #expect(NSSortDescriptor(keyPath: \Ship.name, ascending: true).key == "name")
        #expect(NSSortDescriptor(keyPath: \Sailor.ship, ascending: true).key == "ship")
        let context = container.newBackgroundContext()
        try context.performAndWait {
            for (name, tons) in [("Fram", 402), ("Gjøa", 67), ("Maud", 385)] {
                let ship = Ship(context: context)
                ship.name = name
                ship.tons = Int32(tons)
            }
            try context.save()
            let request = NSFetchRequest<Ship>(entityName: "Ship")
            request.sortDescriptors = [NSSortDescriptor(SortDescriptor(\Ship.tons, order: .reverse))]
            request.predicate = NSPredicate(#Predicate<Ship> { $0.tons > 100 })
            #expect(try context.fetch(request).map(\.name) == ["Fram", "Maud"])
        }
    }
}
