import Firn
import FirnModel
import Foundation
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

    /// Opens the store at `url`, and returns the authors' names.
    private static func open(_ url: URL, _ missingTables: MissingTables? = nil) throws -> Set<String> {
        let description = NSPersistentStoreDescription(url: url)
        if let missingTables { description.missingTables = missingTables }
        let container = NSPersistentContainer(name: "Library", managedObjectModel: Library.model())
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        let names = try container.newBackgroundContext().strings("Author", "name")
        let coordinator = container.persistentStoreCoordinator
        try coordinator.remove(coordinator.persistentStores[0])
        return names
    }

    /// Opens the store in a process of its own, and returns the names with what that process wrote to standard error.
    private func open(_ missingTables: MissingTables? = nil) async throws -> (names: Set<String>, said: [String]) {
        let names = directory.file("names")
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            [path = url.path as String, names = names.path as String, word = (missingTables?.rawValue ?? "") as String]
            in
            StoresOnServer.begin
            let found = try Self.open(URL(fileURLWithPath: path), MissingTables(rawValue: word))
            try JSONEncoder().encode(found).write(to: URL(fileURLWithPath: names))
        }
        let errorText = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        let said = errorText.split(separator: "\n").map(String.init)
        let found = try JSONDecoder().decode(Set<String>.self, from: Data(contentsOf: names))
        try FileManager.default.removeItem(at: names)
        return (found, said.filter { $0.hasPrefix("Firn: ") })
    }

    private func destroy() throws {
        try NSPersistentStoreCoordinator(managedObjectModel: Library.model())
            .destroyPersistentStore(at: url, type: .sqlite)
    }

    @Test("m.24 a destroyed store leaves an empty file, which can be removed")
    func emptyFile() async throws {
        try destroy()
        try FileManager.default.removeItem(at: url)
        #expect(try await open() == ([], []))
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
    func twice() async throws {
        try destroy()
        try destroy()
        #expect(try await open() == ([], []))
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
        #expect(try Self.open(url) == ["Bob"])
    }

    @Test("m.24a a store whose tables were deleted by hand is rebuilt, and standard error says what to delete")
    func rebuilt() async throws {
        try deleteByHand()
        let (names, said) = try await open()
        #expect(names == ["Ada"])
        #expect(said.count == 1)
        #expect(said.first?.contains("delete \(url.path)-log") == true)
        #expect(try await open() == (["Ada"], []))
    }

    @Test("m.24a a store whose tables were deleted by hand is empty, if the description says to start fresh")
    func startFresh() async throws {
        try deleteByHand()
        #expect(try await open(.startFresh) == ([], []))
        #expect(try await open() == ([], []))
    }

    @Test("m.24a a store whose tables were deleted by hand is not opened, if the description says to refuse")
    func refuse() throws {
        try deleteByHand()
        let error = #expect(throws: NSError.self) { try Self.open(url, .refuse) }
        #expect(error?.code == NSPersistentStoreOpenError)
        #expect(error?.localizedDescription.contains("delete \(url.path)-log") == true)
        #expect(try Self.open(url) == ["Ada"])
    }

    @Test(
        "m.24a starting fresh and refusing change nothing where the tables are",
        arguments: [MissingTables.startFresh, .refuse])
    func sound(_ missingTables: MissingTables) async throws {
        #expect(try await open(missingTables) == (["Ada"], []))
    }

    @Test("m.24a a store that took the place of another one is opened without a word")
    func replaced() async throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        let copy = directory.file("Copy.sqlite")
        try coordinator.replacePersistentStore(at: copy, withPersistentStoreFrom: url, type: .sqlite)
        try coordinator.replacePersistentStore(at: url, withPersistentStoreFrom: copy, type: .sqlite)
        #expect(try await open(.refuse) == (["Ada"], []))
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
