import Firn
import FirnModel
import Foundation
import Synchronization
import StoreSupport
import TestSupport
import Testing

@Suite("Conformance: stores that are destroyed, and files that are deleted by hand")
struct DeletedStoreConformanceTests {
    let directory: TemporaryDirectory
    private var url: URL { directory.file("Library.sqlite") }

    init() throws {
        directory = try TemporaryDirectory()
        let coordinator = try Library.onDisk(directory)
        let context = coordinator.context()
        _ = context.make("Author", ["name": "Ada"])
        try context.save()
        try coordinator.remove(coordinator.persistentStores[0])
    }

    private func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: directory.file(name).path) }

    /// As wrappers of Core Data do.
    private func deleteByHand() throws {
        for name in ["Library.sqlite", "Library.sqlite-wal", "Library.sqlite-shm"] where exists(name) {
            try FileManager.default.removeItem(at: directory.file(name))
        }
    }

    /// Opens the store, with what was said on standard error.
    private func open(_ missingTables: MissingTables? = nil) throws -> (names: Set<String>, said: [String]) {
        let description = NSPersistentStoreDescription(url: url)
        if let missingTables { description.missingTables = missingTables }
        let said = Mutex<[String]>([])
        var surroundings = TestHooks()
        nonisolated(unsafe) let heard = { (line: String) in said.withLock { $0.append(line) } }
        surroundings.warn = { heard($0) }
        let container = NSPersistentContainer(name: "Library", managedObjectModel: Library.model())
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        TestHooks.$current.withValue(surroundings) {
            container.loadPersistentStores { failure = $1 }
        }
        if let failure { throw failure }
        let names = try container.newBackgroundContext().strings("Author", "name")
        let coordinator = container.persistentStoreCoordinator
        try coordinator.remove(coordinator.persistentStores[0])
        return (names, said.withLock { $0 })
    }

    private func destroy() throws {
        try NSPersistentStoreCoordinator(managedObjectModel: Library.model())
            .destroyPersistentStore(at: url, type: .sqlite)
    }

    @Test("m.24 a destroyed store leaves an empty file, which can be removed")
    func emptyFile() throws {
        try destroy()
        try FileManager.default.removeItem(at: url)
        #expect(try open() == ([], []))
    }

    @Test("m.24 a destroyed store is opened again without objects and without a history")
    func emptyStore() throws {
        try destroy()
        let coordinator = try Library.onDisk(directory)
        #expect(try coordinator.context().all("Author").isEmpty)
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let result = try coordinator.context().execute(request) as? NSPersistentHistoryResult
        #expect((result?.result as? [NSPersistentHistoryTransaction])?.isEmpty == true)
    }

    @Test("m.24 destroying twice is as destroying once")
    func twice() throws {
        try destroy()
        try destroy()
        #expect(try open() == ([], []))
    }

    @Test("m.24 another store is migrated to the place of a destroyed one")
    func migratedTo() throws {
        try destroy()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        let other = try coordinator.addPersistentStore(type: .sqlite, at: directory.file("Other.sqlite"))
        let context = coordinator.context()
        _ = context.make("Author", ["name": "Bob"])
        try context.save()
        let store = try coordinator.migratePersistentStore(other, to: url, type: .sqlite)
        #expect(try coordinator.context().strings("Author", "name") == ["Bob"])
        try coordinator.remove(store)
        #expect(try open().names == ["Bob"])
    }

    @Test("m.24a a store whose tables were deleted by hand is rebuilt, and standard error says what to delete")
    func rebuilt() throws {
        try deleteByHand()
        let (names, said) = try open()
        #expect(names == ["Ada"])
        #expect(said.count == 1)
        #expect(said.first?.contains("delete \(url.path)-log") == true)
        #expect(try open() == (["Ada"], []))
    }

    @Test("m.24a a store whose tables were deleted by hand is empty, if the description says to start fresh")
    func startFresh() throws {
        try deleteByHand()
        #expect(try open(.startFresh) == ([], []))
        #expect(try open() == ([], []))
    }

    @Test("m.24a a store whose tables were deleted by hand is not opened, if the description says to refuse")
    func refuse() throws {
        try deleteByHand()
        let error = #expect(throws: NSError.self) { try open(.refuse) }
        #expect(error?.code == NSPersistentStoreOpenError)
        #expect(error?.localizedDescription.contains("delete \(url.path)-log") == true)
        #expect(try open().names == ["Ada"])
    }

    @Test(
        "m.24a starting fresh and refusing change nothing where the tables are",
        arguments: [MissingTables.startFresh, .refuse])
    func sound(_ missingTables: MissingTables) throws {
        #expect(try open(missingTables) == (["Ada"], []))
    }

    @Test("m.24a a store that took the place of another one is opened without a word")
    func replaced() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        let copy = directory.file("Copy.sqlite")
        try coordinator.replacePersistentStore(at: copy, withPersistentStoreFrom: url, type: .sqlite)
        try coordinator.replacePersistentStore(at: url, withPersistentStoreFrom: copy, type: .sqlite)
        #expect(try open(.refuse) == (["Ada"], []))
    }

    @Test("m.24a the option is one of the description's, and is copied with it")
    func option() {
        let description = NSPersistentStoreDescription(url: url)
        #expect(description.missingTables == .rebuild)
        description.missingTables = .startFresh
        #expect(description.options[PersistentStoreMissingTablesOption] == "startFresh" as NSString)
        #expect((description.copy() as? NSPersistentStoreDescription)?.missingTables == .startFresh)
    }
}
