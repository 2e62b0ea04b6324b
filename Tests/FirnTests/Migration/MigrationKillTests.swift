// Exit tests capture values since Swift 6.3.
#if compiler(>=6.3)
import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// A migration in a process of its own that is really killed, or whose disk takes no more.
@Suite("A migration in a process that ends early")
struct MigrationKillTests {
    private static let old = "Person: name String, age Integer32, friends ->> Person"
    private static let new =
        "Human was Person: fullName String was name, !city String = Rome, friends ->> Human ordered"

    private let directory: TemporaryDirectory
    private var url: URL { directory.file("Library.sqlite") }

    init() throws { directory = try TemporaryDirectory() }

    private static func open(
        _ path: String, _ model: String, _ options: [AnyHashable: Any]? = MigratingStore.lightweight
    ) throws -> StoreState {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try ModelText.model(model))
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: path),
            options: options)
        defer { try? coordinator.remove(store) }
        return try StoreState(coordinator.context())
    }

    private func fill(_ count: Int) throws -> StoreState {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try ModelText.model(Self.old))
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        defer { try? coordinator.remove(store) }
        let context = coordinator.context()
        let people = (0..<count).map { context.make("Person", ["name": String(repeating: "\($0) ", count: 40)]) }
        for person in people { person.setValue(NSSet(array: Array(people[1..<4])), forKey: "friends") }
        try context.save()
        return try StoreState(coordinator.context())
    }

    private func checkMigrated() throws {
        let after = try Self.open(url.path, Self.new)
        #expect(after.count("Human") == 20)
        #expect(after["Human/p3"]["friends"] == "Human/p2 Human/p3 Human/p4")
        let dumps = try StoredTables.dumps(url)
        #expect(dumps.present == dumps.rebuilt)
    }

    @Test("by SIGKILL before the record leaves the old store")
    func prepared() async throws {
        let before = try fill(20)
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = url.path as String] in
            try Self.die(at: .prepared, path)
        }
        #expect(try Self.open(url.path, Self.old, nil) == before)
        try checkMigrated()
    }

    @Test("by SIGKILL after the record leaves the new store")
    func recorded() async throws {
        _ = try fill(20)
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = url.path as String] in
            try Self.die(at: .recorded, path)
        }
        #expect(throws: NSError.self) { try Self.open(url.path, Self.old, nil) }
        try checkMigrated()
    }

    @Test("by SIGKILL with the new tables in place leaves the new store")
    func placed() async throws {
        _ = try fill(20)
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = url.path as String] in
            try Self.die(at: .placed, path)
        }
        try checkMigrated()
    }

    private static func die(at moment: MigrationMoment, _ path: String) throws {
        let fileSystem = HeardFileSystem(moment.listener(of: path) { kill(getpid(), SIGKILL) })
        _ = try open(path, new, MigratingStore.options(on: fileSystem))
    }

    /// A limit on the size of files stands for the disk that is full: SQLite and the log get an error from `write`.
    @Test("because the disk takes no more throws, leaves the old store and no file, and can be tried again")
    func full() async throws {
        let before = try fill(3000)
        await #expect(processExitsWith: .success) { [path = url.path as String] in
            signal(SIGXFSZ, SIG_IGN)
            var room = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &room)
            var small = room
            small.rlim_cur = 250_000
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &small)
            let error = #expect(throws: NSError.self) { try Self.open(path, Self.new) }
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &room)
            #expect(error?.localizedDescription.contains("migrat") == true)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path)
        #expect(!names.contains { $0.contains("migration") })
        #expect(try Self.open(url.path, Self.old, nil) == before)
        #expect(try Self.open(url.path, Self.new).count("Human") == 3000)
    }
}
#endif
