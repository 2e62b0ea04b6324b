import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Two stores of two configurations: `Work` has tasks, `Log` has entries. A task leads to entries, and so each store
/// knows both entities.
@Suite("Conformance: stores of configurations")
struct ConfigurationConformanceTests {
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext
    let work: NSPersistentStore
    let log: NSPersistentStore

    init() throws {
        let task = ModelSketch.entity("Task", [ModelSketch.attribute("title")])
        let entry = ModelSketch.entity("Entry", [ModelSketch.attribute("text")])
        let stray = ModelSketch.entity("Stray", [ModelSketch.attribute("text")])
        ModelSketch.relate(task, "entries", toMany: entry, "task")
        ModelSketch.relate(task, "strays", toMany: stray, "task")
        let model = ModelSketch.model(task, entry, stray)
        model.setEntities([task], forConfigurationName: "Work")
        model.setEntities([entry], forConfigurationName: "Log")
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let place = URL(fileURLWithPath: "/dev/null")
        work = try coordinator.addPersistentStore(type: .inMemory, configuration: "Work", at: place)
        log = try coordinator.addPersistentStore(type: .inMemory, configuration: "Log", at: place)
        context = coordinator.context()
    }

    @Test("m.3 a new object is saved in the store whose configuration has its entity, not in the first that knows it")
    func choice() throws {
        let (task, entry) = (context.make("Task"), context.make("Entry"))
        try context.save()
        #expect(task.objectID.persistentStore === work)
        #expect(entry.objectID.persistentStore === log)
    }

    @Test("m.3 permanent IDs are those of the store whose configuration has the entity")
    func permanentIDs() throws {
        let entry = context.make("Entry")
        try context.obtainPermanentIDs(for: [entry])
        #expect(entry.objectID.persistentStore === log)
    }

    @Test("m.3 a relationship between objects of two configurations is error 133010")
    func acrossStores() throws {
        context.make("Entry").setValue(context.make("Task"), forKey: "task")
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.code == NSManagedObjectExternalRelationshipError)
    }

    @Test("m.3 an object whose entity no configuration of a store has is not saved")
    func homeless() throws {
        _ = context.make("Stray")
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.code == NSPersistentStoreSaveError)
        #expect(error?.localizedDescription.contains("Stray") == true)
    }

    @Test("m.3 an object whose entity the only store does not have is not saved there")
    func homelessBesideOneStore() throws {
        try coordinator.remove(log)
        // The context hears of it on its queue, at the same time as what comes next.
        context.drain()
        _ = context.make("Entry")
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.code == NSPersistentStoreSaveError)
    }

    @Test("m.3 a batch insertion goes to the store whose configuration has the entity")
    func batchInsertion() throws {
        let request = NSBatchInsertRequest(entityName: "Entry", objects: [["text": "one"]])
        request.resultType = .objectIDs
        let ids = try (context.execute(request) as? NSBatchInsertResult)?.result as? [NSManagedObjectID]
        #expect(ids?.first?.persistentStore === log)
    }

    @Test("m.3 groups and aggregates of an entity are those of the store that has it")
    func aggregates() throws {
        for _ in 0..<3 { context.make("Entry").setValue("same", forKey: "text") }
        try context.save()
        let request = NSFetchRequest<NSDictionary>(entityName: "Entry")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["text"]
        request.propertiesToGroupBy = ["text"]
        #expect(try context.fetch(request) == [["text": "same"]])
    }

    @Test("m.3 a store of all entities stays one when it is opened with a configuration, and is not migrated")
    func wholeStore() throws {
        let directory = try TemporaryDirectory()
        let book = ModelSketch.entity("Book", [ModelSketch.attribute("title")])
        let model = ModelSketch.model(book, ModelSketch.entity("Film", [ModelSketch.attribute("title")]))
        model.setEntities([book], forConfigurationName: "Books")
        let whole = NSPersistentStoreCoordinator(managedObjectModel: model)
        let part = NSPersistentStoreCoordinator(managedObjectModel: model)
        try whole.addPersistentStore(type: .sqlite, at: directory.file("Whole.sqlite"))
        let maker = whole.context()
        _ = (maker.make("Book"), maker.make("Film"))
        try maker.save()
        try part.addPersistentStore(type: .sqlite, configuration: "Books", at: directory.file("Whole.sqlite"))
        let context = part.context()
        _ = context.make("Book")
        try context.save()
        #expect(try context.all("Book").count == 2)
        _ = maker.make("Film")
        try maker.save()
        #expect(try (maker.all("Book").count, maker.all("Film").count) == (2, 2))
    }
}
