// Exit tests capture values since Swift 6.3.
#if compiler(>=6.3)
import Dispatch
import Firn
import FirnModel
import Foundation
import StoreSupport
import Synchronization
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

    @Test("A fetch names the file that was deleted since the store was opened, and the way to have it back")
    func fetchAfterDeletion() throws {
        let context = try Library.onDisk(directory).context()
        try deleteByHand()
        let error = #expect(throws: CocoaError.self) { try context.all("Author") }
        #expect(error?.code == .fileReadNoSuchFile)
        for words in ["removed or moved", "close the store", "firn rebuild \(url.path)"] {
            #expect(error?.localizedDescription.contains(words) == true, "\(String(describing: error))")
        }
    }

    @Test("m.24 a destroyed store leaves an empty file, which can be removed")
    func emptyFile() async throws {
        try destroy()
        try FileManager.default.removeItem(at: url)
        #expect(try await open() == ([], []))
    }

    /// Code exists that removes the three files after it destroyed the store.
    @Test("m.24 a destroyed store leaves its companions too, which can be removed")
    func companions() async throws {
        try destroy()
        for name in ["Library.sqlite", "Library.sqlite-wal", "Library.sqlite-shm"] {
            try FileManager.default.removeItem(at: directory.file(name))
        }
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

    /// The paths of the stores whose logs were set aside.
    private var kept: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        return names.filter { $0.hasPrefix("Library.sqlite.") && $0.hasSuffix("Z-log") }
            .map { directory.file(String($0.dropLast(4))).path }.sorted()
    }

    /// Saves an author of this name in the store as it is, and closes it.
    private func save(_ name: String) throws {
        let coordinator = try Library.onDisk(directory)
        let context = coordinator.context()
        _ = context.make("Author", ["name": name])
        try context.save()
        try coordinator.remove(coordinator.persistentStores[0])
    }

    @Test("m.24a a store whose file was deleted is new, and standard error says where the old log is")
    func startFresh() async throws {
        try deleteByHand()
        let (names, said) = try await open()
        #expect(names == [])
        #expect(said.count == 1)
        let old = try #require(kept.first)
        #expect(said.first?.contains("\(old)-log") == true)
        #expect(said.first?.contains("firn restore \(url.path)") == true)
        #expect(try await open() == ([], []))
    }

    @Test("m.24a the log of a deleted store is a store of its own name, with all objects")
    func keptWhole() throws {
        try deleteByHand()
        #expect(try Self.open(url) == [])
        let old = try #require(kept.first)
        #expect(try Self.open(URL(fileURLWithPath: old), .rebuild) == ["Ada"])
    }

    @Test("m.24a of several logs that were set aside the last one is kept")
    func lastKept() throws {
        for name in ["Bob", "Cid"] {
            try deleteByHand()
            try save(name)
        }
        try deleteByHand()
        #expect(try Self.open(url) == [])
        #expect(kept.count == 1)
        #expect(try Self.open(URL(fileURLWithPath: try #require(kept.first)), .rebuild) == ["Cid"])
    }

    @Test("m.24a a log without objects is not kept, and takes no other one's place")
    func emptyLog() throws {
        try deleteByHand()
        #expect(try Self.open(url) == [])
        let before = kept
        try deleteByHand()
        #expect(try Self.open(url) == [])
        #expect(before.count == 1 && kept == before)
    }

    @Test("m.24a the new store has another UUID and no history, and its coordinator knows no object of the old one")
    func newIdentity() throws {
        let coordinator = try Library.onDisk(directory)
        let author = try #require(coordinator.context().all("Author").first)
        let uri = author.objectID.uriRepresentation()
        let identifier = coordinator.persistentStores[0].identifier
        try coordinator.remove(coordinator.persistentStores[0])
        try deleteByHand()
        let new = try Library.onDisk(directory)
        #expect(new.persistentStores[0].identifier != identifier)
        #expect(new.managedObjectID(forURIRepresentation: uri) == nil)
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let result = try new.context().execute(request) as? NSPersistentHistoryResult
        #expect((result?.result as? [NSPersistentHistoryTransaction])?.isEmpty == true)
    }

    @Test(
        "m.24a a store is deleted by its file alone, whatever is left beside it",
        arguments: [["-wal"], ["-shm"], ["-wal", "-shm"]])
    func companions(_ suffixes: [String]) throws {
        try deleteByHand()
        for suffix in suffixes { try Data(count: 32).write(to: directory.file("Library.sqlite" + suffix)) }
        #expect(try Self.open(url) == [])
        try save("Bob")
        #expect(try Self.open(url) == ["Bob"])
    }

    @Test("m.24a a store without its -wal and -shm is the store")
    func withoutCompanions() throws {
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
        #expect(try Self.open(url) == ["Ada"])
        #expect(kept == [])
    }

    @Test("m.24a an empty file is no deleted one: its tables are built from the log")
    func emptied() async throws {
        try url.discardTables()
        #expect(try await open() == (["Ada"], []))
    }

    @Test("m.24a a damaged log of a deleted store is set aside too")
    func damaged() throws {
        let segment = directory.file("Library.sqlite-log/00000000000000000001.segment")
        try Data("no log".utf8).write(to: segment)
        try deleteByHand()
        #expect(try Self.open(url) == [])
        let old = try #require(kept.first)
        #expect(try Data(contentsOf: URL(fileURLWithPath: old + "-log/00000000000000000001.segment")).count == 6)
    }

    @Test("m.24a a coordinator that has a deleted store open finds it gone once another one has opened the new store")
    func openElsewhere() throws {
        let first = try Library.onDisk(directory)
        let context = first.context()
        _ = context.make("Author", ["name": "Bob"])
        try context.save()
        try deleteByHand()
        let second = try Library.onDisk(directory)
        let other = second.context()
        _ = other.make("Author", ["name": "Cid"])
        try other.save()
        _ = context.make("Author", ["name": "Dan"])
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.logError?.code == .replaced)
        #expect(try second.context().strings("Author", "name") == ["Cid"])
        try first.remove(first.persistentStores[0])
        try second.remove(second.persistentStores[0])
        #expect(try Self.open(url) == ["Cid"])
        #expect(try Self.open(URL(fileURLWithPath: try #require(kept.first)), .rebuild) == ["Ada", "Bob"])
    }

    @Test("m.24a the coordinator of a deleted store does not read the rows of the store that took its place")
    func readElsewhere() throws {
        let context = try Library.onDisk(directory).context()
        try deleteByHand()
        let other = try Library.onDisk(directory).context()
        _ = other.make("Author", ["name": "Cid"])
        try other.save()
        let error = #expect(throws: CocoaError.self) { try context.all("Author") }
        #expect(error?.code == .fileReadNoSuchFile)
        #expect(error?.localizedDescription.contains("another store") == true, "\(String(describing: error))")
    }

    @Test("m.24a a store whose file is deleted while it is open is not made again by closing it")
    func deletedWhileOpen() throws {
        let coordinator = try Library.onDisk(directory)
        let context = coordinator.context()
        _ = context.make("Author", ["name": "Bob"])
        try context.save()
        try deleteByHand()
        try coordinator.remove(coordinator.persistentStores[0])
        #expect(!exists("Library.sqlite"))
        #expect(try Self.open(url) == [])
    }

    @Test("m.24a of several threads that open a deleted store each has the new one")
    func together() throws {
        try deleteByHand()
        let path = url.path
        let results = Mutex<[Result<Set<String>, any Error>]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            let result = Result { try Self.open(URL(fileURLWithPath: path)) }
            results.withLock { $0.append(result) }
        }
        for result in results.withLock({ $0 }) { #expect(try result.get() == []) }
        #expect(kept.count == 1)
        try save("Bob")
        #expect(try Self.open(url) == ["Bob"])
    }

    @Test("m.24a a program that is killed after the log was set aside leaves a place for a new store")
    func killedBetween() throws {
        try deleteByHand()
        let old = directory.file("Library.sqlite.2026-11-26T15.30.02.123Z-log")
        try FileManager.default.moveItem(at: directory.file("Library.sqlite-log"), to: old)
        #expect(try Self.open(url) == [])
        #expect(kept.map { $0 + "-log" } == [old.path])
    }

    @Test("m.24a metadata of a deleted store cannot be read, and another store may be migrated to its place")
    func freePlace() throws {
        try deleteByHand()
        #expect(throws: NSError.self) {
            _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: self.url)
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        let other = try coordinator.addPersistentStore(type: .sqlite, at: directory.file("Other.sqlite"))
        let context = coordinator.context()
        _ = context.make("Author", ["name": "Bob"])
        try context.save()
        let moved = try coordinator.migratePersistentStore(other, to: url, type: .sqlite)
        try coordinator.remove(moved)
        #expect(try Self.open(url) == ["Bob"])
        #expect(kept.count == 1)
    }

    @Test("m.24a a store whose file was deleted is rebuilt, if the description says to rebuild")
    func rebuilt() async throws {
        try deleteByHand()
        #expect(try await open(.rebuild) == (["Ada"], []))
        #expect(try await open() == (["Ada"], []))
    }

    @Test("m.24a a store whose file was deleted is not opened, if the description says to refuse")
    func refuse() throws {
        try deleteByHand()
        let error = #expect(throws: NSError.self) { try Self.open(url, .refuse) }
        #expect(error?.code == NSPersistentStoreOpenError)
        #expect(error?.localizedDescription.contains("firn rebuild \(url.path)") == true)
        #expect(try Self.open(url, .rebuild) == ["Ada"])
    }

    @Test(
        "m.24a the choices change nothing where the file is",
        arguments: [MissingTables.startFresh, .rebuild, .refuse])
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
        #expect(description.missingTables == .startFresh)
        description.missingTables = .rebuild
        #expect(description.options[PersistentStoreMissingTablesOption] == "rebuild" as NSString)
        #expect((description.copy() as? NSPersistentStoreDescription)?.missingTables == .rebuild)
    }
}
#endif
