import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Stores in the wrong place, of the wrong kind, and many at once")
struct StoreAttackTests {
    let directory: TemporaryDirectory
    var url: URL { directory.file("Library.sqlite") }

    init() throws { directory = try TemporaryDirectory() }

    private func coordinator(_ model: NSManagedObjectModel = Library.model()) -> NSPersistentStoreCoordinator {
        NSPersistentStoreCoordinator(managedObjectModel: model)
    }

    private func failure(_ body: () throws -> Void) throws -> NSError {
        let error = #expect(throws: NSError.self) { try body() }
        return try #require(error)
    }

    @Test("a folder that is not there is named, and not made", arguments: [NSSQLiteStoreType, NSBinaryStoreType])
    func missingFolder(type: String) throws {
        let error = try failure {
            try coordinator().addPersistentStore(
                ofType: type, configurationName: nil, at: directory.file("no/such/Library"))
        }
        #expect(error.code == NSPersistentStoreOpenError)
        #expect(error.localizedDescription.contains("no/such"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
    }

    @Test("no URL, a web address and a folder are no places for a store on disk")
    func wrongPlaces() throws {
        for place in [nil, URL(string: "https://example.org/store"), directory.url] {
            let error = try failure {
                try coordinator().addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: place)
            }
            #expect(error.code == NSPersistentStoreOpenError, "\(place?.absoluteString ?? "nil")")
        }
    }

    @Test("a configuration that the model does not have is named")
    func wrongConfiguration() throws {
        let error = try failure {
            try coordinator().addPersistentStore(type: .inMemory, configuration: "Cloud", at: url)
        }
        #expect(error.localizedDescription.contains("Cloud"))
    }

    @Test("a store of another model is error 134100, and stays as it is")
    func otherModel() throws {
        _ = try Library.onDisk(directory)
        let other = coordinator(ModelSketch.correspondence())
        let error = try failure { try other.addPersistentStore(type: .sqlite, at: url) }
        #expect(error.code == NSPersistentStoreIncompatibleVersionHashError)
        #expect(try Library.onDisk(directory).context().all("Author").isEmpty)
    }

    @Test("files of one type are not opened as those of another")
    func otherType() throws {
        let binary = directory.file("Library.binary")
        do {
            let coordinator = coordinator()
            try coordinator.addPersistentStore(type: .binary, at: binary)
            _ = coordinator.context().make("Author")
            let context = coordinator.context()
            _ = context.make("Author")
            try context.save()
        }
        let before = try Data(contentsOf: binary)
        #expect(try failure { try coordinator().addPersistentStore(type: .sqlite, at: binary) }.code == 134_080)
        #expect(try Data(contentsOf: binary) == before)
        _ = try Library.onDisk(directory)
        #expect(try failure { try coordinator().addPersistentStore(type: .binary, at: url) }.code == 134_010)
        _ = try Library.onDisk(directory)
    }

    @Test("ten stores in one coordinator each keep what is assigned to them, and are asked together")
    func tenStores() throws {
        let coordinator = coordinator()
        let types: [NSPersistentStore.StoreType] = [.sqlite, .inMemory, .binary]
        for index in 0..<10 {
            try coordinator.addPersistentStore(type: types[index % 3], at: directory.file("\(index)"))
        }
        let context = coordinator.context()
        for (index, store) in coordinator.persistentStores.enumerated() {
            context.assign(context.make("Author", ["name": "\(index)", "age": index]), to: store)
        }
        try context.save()
        let fresh = coordinator.context()
        let all = try fresh.all("Author", sortedBy: "age")
        #expect(all.map { $0.number("age") } == Array(0..<10))
        for (author, store) in zip(all, coordinator.persistentStores) {
            #expect(author.objectID.persistentStore === store)
            author.setValue("changed", forKey: "name")
        }
        try fresh.save()
        try coordinator.remove(coordinator.persistentStores[2])
        #expect(try coordinator.context().count(for: NSFetchRequest<NSManagedObject>(entityName: "Author")) == 9)
    }

    @Test("a relationship between objects of two stores is refused with both of them, and works once they share one")
    func acrossStores() throws {
        let coordinator = try Library.inMemory()
        let second = try coordinator.addPersistentStore(type: .binary, at: directory.file("b"))
        let context = coordinator.context()
        let (author, book) = (context.make("Author"), context.make("Book"))
        author.setValue(NSOrderedSet(array: [book]), forKey: "books")
        context.assign(book, to: second)
        let error = try failure { try context.save() }
        #expect(error.code == NSManagedObjectExternalRelationshipError)
        #expect((error.userInfo[NSAffectedObjectsErrorKey] as? [NSManagedObject])?.count == 2)
        context.assign(author, to: second)
        try context.save()
        #expect(author.objectID.persistentStore === second)
    }

    @Test("stores hold the entities of their configurations")
    func configurations() throws {
        let model = ModelSketch.model(
            ModelSketch.entity("Local", [ModelSketch.attribute("name")]),
            ModelSketch.entity("Shared", [ModelSketch.attribute("name")]))
        for name in ["Local", "Shared"] {
            model.setEntities([try #require(model.entitiesByName[name])], forConfigurationName: name)
        }
        let coordinator = coordinator(model)
        let local = try coordinator.addPersistentStore(type: .binary, configuration: "Local", at: directory.file("l"))
        let shared = try coordinator.addPersistentStore(type: .sqlite, configuration: "Shared", at: directory.file("s"))
        let context = coordinator.context()
        let objects = [context.make("Local"), context.make("Shared")]
        try context.save()
        #expect(objects.map { $0.objectID.persistentStore } == [local, shared])
        let metadata = coordinator.metadata(for: local)
        #expect((metadata[NSStoreModelVersionHashesKey] as? [String: Data])?.keys.sorted() == ["Local"])
    }

    @Test("a store that is written by two coordinators stays whole when one of them removes it")
    func twoCoordinators() throws {
        let one = try Library.onDisk(directory)
        let two = try Library.onDisk(directory)
        let context = two.context()
        _ = context.make("Author", ["name": "Ada"])
        try context.save()
        try one.remove(one.persistentStores[0])
        _ = context.make("Author", ["name": "Bob"])
        try context.save()
        #expect(try Library.onDisk(directory).context().strings("Author", "name") == ["Ada", "Bob"])
    }

    @Test("the older lock is taken and given back, and blocks run on the coordinator's queue")
    func locking() async throws {
        let coordinator = coordinator()
        let number = coordinator.withLock { 1 }
        #expect(coordinator.tryLock())
        coordinator.unlock()
        let other = await coordinator.perform { number + 1 }
        #expect(coordinator.performAndWait { other + 1 } == 3)
    }

    @Test("a request that the coordinator executes sees what the stores have")
    func executing() throws {
        let coordinator = try Library.inMemory()
        let context = coordinator.context()
        _ = context.make("Author", ["name": "Ada"])
        try context.save()
        _ = context.make("Author", ["name": "Bob"])
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        let found = try coordinator.execute(request, with: context) as? [NSManagedObject]
        #expect(found?.map { $0.text("name") } == ["Ada"])
    }

    @Test("tables are vacuumed and analysed when a store is added with these options")
    func maintenance() throws {
        _ = try Library.onDisk(directory)
        let options: [AnyHashable: Any] = [
            NSSQLiteManualVacuumOption: NSNumber(value: true), NSSQLiteAnalyzeOption: NSNumber(value: true),
            NSPersistentStoreConnectionPoolMaxSizeKey: NSNumber(value: 1),
        ]
        let coordinator = try Library.onDisk(directory, options: options)
        #expect(try coordinator.context().all("Author").isEmpty)
    }

    @Test("a store class that is no store traps")
    func noStoreClass() async {
        await #expect(processExitsWith: .failure) {
            NSPersistentStoreCoordinator.registerStoreClass(NSObject.self, forStoreType: "Nothing")
        }
    }
}
