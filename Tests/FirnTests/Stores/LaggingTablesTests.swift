import Firn
import FirnLog
import FirnModel
import FirnSQLite
import Foundation
import Synchronization
import StoreSupport
import TestSupport
import Testing

/// Small saves are in the log at once, and in the tables a moment later.
@Suite("Tables that are behind their log")
struct LaggingTablesTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("Library.sqlite").path
    }

    private static func open(_ path: String, isReadOnly: Bool = false) throws -> NSPersistentStoreCoordinator {
        StoresOnServer.begin
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(filePath: path),
            options: [NSReadOnlyPersistentStoreOption: NSNumber(value: isReadOnly)])
        return coordinator
    }

    /// One save for each name.
    private static func save(_ names: [String], _ context: NSManagedObjectContext) throws {
        for name in names {
            _ = context.make("Author", ["name": name])
            try context.save()
        }
    }

    /// What is in the tables' file.
    private func stored() throws -> Set<String> {
        try Connection(.file(path), mode: .readOnly).withStatement("SELECT name FROM Author") { statement in
            var names: Set<String> = []
            while try statement.step() { names.insert(statement.text(0)) }
            return names
        }
    }

    @Test("show a fetch what any other coordinator has saved", arguments: [false, true])
    func otherCoordinators(isReadOnly: Bool) throws {
        let writer = try Self.open(path).context()
        try Self.save(["first"], writer)
        let reader = try Self.open(path, isReadOnly: isReadOnly).context()
        for round in 0..<50 {
            try Self.save(["author \(round)"], writer)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
            #expect(try reader.count(for: request) == round + 2)
        }
    }

    #if compiler(>=6.3)  // Exit tests capture values since then.
    @Test("are not behind any more when a program has ended by itself")
    func ended() async throws {
        await #expect(processExitsWith: .success) { [path = path as String] in
            let context = try Self.open(path).context()
            try Self.save(["Ada", "Grace", "Mary"], context)
            exit(0)
        }
        #expect(try stored() == ["Ada", "Grace", "Mary"])
    }
    #endif

    #if compiler(>=6.3)  // Exit tests capture values since then.
    @Test("show what a killed program has saved to whoever opens the store next", arguments: [false, true])
    func killed(isReadOnly: Bool) async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let context = try Self.open(path).context()
            try Self.save(["Ada", "Grace", "Mary"], context)
            kill(getpid(), SIGKILL)
        }
        let reader = try Self.open(path, isReadOnly: isReadOnly).context()
        #expect(try reader.strings("Author", "name") == ["Ada", "Grace", "Mary"])
        #expect(try stored() == ["Ada", "Grace", "Mary"])
    }
    #endif

    @Test("do not bring back what another coordinator has erased meanwhile")
    func erased() throws {
        let secret = "Nobody-May-Know"
        let (writer, other) = (try Self.open(path).context(), try Self.open(path))
        let author = writer.make("Author", ["name": "Ada"])
        try writer.save()
        for name in [secret, "A"] {
            author.setValue(name, forKey: "name")
            try writer.save()
        }
        let id = try #require(other.managedObjectID(forURIRepresentation: author.objectID.uriRepresentation()))
        #expect(try other.erase(id, property: "name") > 1)
        try Self.save(["Grace"], writer)
        #expect(try Self.open(path).context().strings("Author", "name") == ["Grace"])
        let files = FileManager.default.enumerator(at: directory.url, includingPropertiesForKeys: nil)
        for case let file as URL in files?.allObjects ?? [] where !file.hasDirectoryPath {
            let data = try Data(contentsOf: file)
            #expect(data.range(of: Data(secret.utf8)) == nil, "\(file.lastPathComponent) has it")
        }
    }

    @Test("catch up where another coordinator has cut the beginning of the log off meanwhile")
    func trimmed() throws {
        let (writer, other) = (try Self.open(path).context(), try Self.open(path))
        try Self.save(["Ada", "Grace", "Mary"], writer)
        let token = other.currentPersistentHistoryToken(fromStores: nil)
        _ = try other.context().execute(NSPersistentHistoryChangeRequest.deleteHistory(before: token))
        try Self.save(["Anna"], writer)
        #expect(try writer.strings("Author", "name") == ["Ada", "Grace", "Mary", "Anna"])
        #expect(try other.context().strings("Author", "name") == ["Ada", "Grace", "Mary", "Anna"])
    }

    @Test("give new objects keys of their own, of whatever coordinator")
    func keys() throws {
        let contexts = [try Self.open(path).context(), try Self.open(path).context()]
        for round in 0..<20 { try Self.save(["author \(round)"], contexts[round * 7 % 3 % 2]) }
        let authors = try contexts[0].all("Author")
        #expect(Set(authors.map { $0.objectID.uriRepresentation() }).count == 20)
    }

    @Test("may be read while another coordinator takes them over for a model that differs in its document alone")
    func adopted() throws {
        let reader = try Self.open(path).context()
        try Self.save(["Ada", "Grace"], reader)
        let model = Library.model()
        for entity in model.entities { entity.userInfo = ["edition": "second"] }
        let counts = Mutex<[Int?]>([])
        let fileSystem = HeardFileSystem { (call, _) throws(FileError) in
            guard call == .synced else { return }
            let count = try? reader.performAndWait { try reader.all("Author").count }
            counts.withLock { $0.append(count) }
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(filePath: path),
            options: MigratingStore.options(on: fileSystem))
        #expect(Set(counts.withLock { $0 }) == [2])
        #expect(try coordinator.context().strings("Author", "name") == ["Ada", "Grace"])
    }
}
