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
}
