import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Conformance: SQLite stores at /dev/null")
struct NullDeviceConformanceTests {
    private let null = URL(fileURLWithPath: "/dev/null")
    private let model = Library.model()

    private func added(_ url: URL) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(type: .sqlite, at: url)
        return coordinator
    }

    private func sharedURL() -> URL { null.appendingPathComponent("test-\(UUID().uuidString)") }

    private func save(_ name: String, _ coordinator: NSPersistentStoreCoordinator) throws {
        let context = coordinator.context()
        _ = context.make("Author", ["name": name])
        try context.save()
    }

    @Test("m.17 a container with the template's description has a store in memory, of type SQLite")
    func template() throws {
        let container = NSPersistentContainer(name: "Library", managedObjectModel: model)
        container.persistentStoreDescriptions.first?.url = null
        container.loadPersistentStores { #expect($1 == nil) }
        let store = try #require(container.persistentStoreCoordinator.persistentStores.first)
        #expect(store.type == NSSQLiteStoreType)
        #expect(store.url == null)
        try save("Ada", container.persistentStoreCoordinator)
        #expect(try container.newBackgroundContext().strings("Author", "name") == ["Ada"])
        #expect(!FileManager.default.fileExists(atPath: "/dev/null-log"))
    }

    @Test("m.17 two coordinators with a store at /dev/null have two stores")
    func apart() throws {
        let (one, other) = (try added(null), try added(null))
        try save("Ada", one)
        #expect(try other.context().all("Author").isEmpty)
    }

    @Test("m.17 a store at /dev/null takes batch requests and has a history")
    func batchesAndHistory() throws {
        let coordinator = try added(null)
        try save("Ada", coordinator)
        let context = coordinator.context()
        let update = NSBatchUpdateRequest(entityName: "Author")
        update.propertiesToUpdate = ["age": 36]
        update.resultType = .updatedObjectsCountResultType
        #expect(try ((context.execute(update) as? NSBatchUpdateResult)?.result as? NSNumber)?.intValue == 1)
        let history = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let result = try context.execute(history) as? NSPersistentHistoryResult
        #expect((result?.result as? [NSPersistentHistoryTransaction])?.count == 2)
    }

    @Test("m.17 a new description has the URL of /dev/null")
    func description() {
        #expect(NSPersistentStoreDescription().url == null)
    }

    @Test("m.17 coordinators share a store at /dev/null/name, and read what another one saved")
    func shared() throws {
        let url = sharedURL()
        let (one, other) = (try added(url), try added(url))
        try save("Ada", one)
        #expect(try other.context().strings("Author", "name") == ["Ada"])
        try save("Bob", other)
        #expect(try one.context().strings("Author", "name") == ["Ada", "Bob"])
        let third = try added(url)
        #expect(try third.context().strings("Author", "name") == ["Ada", "Bob"])
        #expect(third.persistentStores[0].identifier == one.persistentStores[0].identifier)
    }

    @Test("m.17 a save over what another coordinator of a shared store saved is a conflict")
    func sharedConflict() throws {
        let url = sharedURL()
        let (one, other) = (try added(url), try added(url))
        try save("Ada", one)
        let (mine, theirs) = (one.context(), other.context())
        let (ada, sameAda) = (try #require(try mine.all("Author").first), try #require(try theirs.all("Author").first))
        ada.setValue("Countess", forKey: "name")
        sameAda.setValue("Lady", forKey: "name")
        try theirs.save()
        let error = #expect(throws: NSError.self) { try mine.save() }
        #expect(error?.code == NSManagedObjectMergeError)
    }

    @Test("m.17 a shared store is gone with the last coordinator that has it")
    func lastCoordinator() throws {
        let url = sharedURL()
        do {
            let coordinator = try added(url)
            try save("Ada", coordinator)
            try coordinator.remove(coordinator.persistentStores[0])
        }
        #expect(try added(url).context().all("Author").isEmpty)
    }

    @Test("m.17 a coordinator with another model does not open a shared store")
    func otherModel() throws {
        let url = sharedURL()
        let first = try added(url)
        let other = NSPersistentStoreCoordinator(
            managedObjectModel: ModelSketch.model(ModelSketch.entity("Note", [ModelSketch.attribute("text")])))
        let options: [AnyHashable: Any] = [
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
        ]
        let error = #expect(throws: NSError.self) {
            try other.addPersistentStore(type: .sqlite, at: url, options: options)
        }
        #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
        try save("Ada", first)
    }

    @Test("m.17 a store at /dev/null is destroyed and added again, and the device stays")
    func destroyed() throws {
        let coordinator = try added(null)
        try save("Ada", coordinator)
        try coordinator.destroyPersistentStore(at: null, type: .sqlite)
        #expect(coordinator.persistentStores.isEmpty)
        try coordinator.addPersistentStore(type: .sqlite, at: null)
        #expect(try coordinator.context().all("Author").isEmpty)
        var information = stat()
        #expect(stat("/dev/null", &information) == 0 && information.st_mode & S_IFMT == S_IFCHR)
    }

    @Test("m.17 a store on disk is migrated to /dev/null, with its history, and from there to disk")
    func migrated() throws {
        let directory = try TemporaryDirectory()
        let coordinator = try Library.onDisk(directory)
        try save("Ada", coordinator)
        let memory = try coordinator.migratePersistentStore(
            coordinator.persistentStores[0], to: null, type: .sqlite)
        #expect(memory.url == null)
        try save("Bob", coordinator)
        try coordinator.migratePersistentStore(memory, to: directory.file("Back.sqlite"), type: .sqlite)
        #expect(try coordinator.context().strings("Author", "name") == ["Ada", "Bob"])
    }

    @Test("m.17 what is at /dev/null cannot be replaced by a file")
    func replaced() throws {
        let directory = try TemporaryDirectory()
        let coordinator = try Library.onDisk(directory)
        let error = #expect(throws: NSError.self) {
            try coordinator.replacePersistentStore(
                at: null, withPersistentStoreFrom: directory.file("Library.sqlite"), type: .sqlite)
        }
        #expect(error?.code == NSPersistentStoreOperationError)
    }
}
