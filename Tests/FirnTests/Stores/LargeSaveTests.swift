import Firn
import FirnLog
import FirnModel
import FirnSQLite
import Foundation
import Synchronization
import StoreSupport
import TestSupport
import Testing

/// The rows of a large save are written while its record is, and after it.
@Suite("A large save")
struct LargeSaveTests {
    private let directory: TemporaryDirectory
    private let path: String
    private static let count = 3000

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("Library.sqlite").path
    }

    private static func open(
        _ path: String, _ fileSystem: any FileSystem = PosixFileSystem()
    ) throws -> NSPersistentStoreCoordinator {
        StoresOnServer.begin
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(filePath: path),
            options: [PersistentStoreFileSystemOption: fileSystem])
        return coordinator
    }

    /// Random texts of 200 characters each, in one save, which is large enough by far.
    private static func save(_ round: Int, _ context: NSManagedObjectContext, count: Int = Self.count) throws {
        var generator = SeededGenerator(seed: UInt64(round))
        for _ in 0..<count {
            let name = (0..<10).map { _ in String(generator.next(), radix: 36) }.joined()
            _ = context.make("Author", ["name": name])
        }
        try context.save()
    }

    private static func authors(_ context: NSManagedObjectContext) throws -> Int {
        try context.performAndWait { try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Author")) }
    }

    @Test("is there for whoever reads after it, and between small ones")
    func read() throws {
        let writer = try Self.open(path).context()
        let others = [try Self.open(path).context(), writer]
        for round in 0..<6 {
            try Self.save(round, writer)
            #expect(try Self.authors(others[round % 2]) == (round + 1) * Self.count + round)
            _ = writer.make("Author", ["name": "\(round)"])
            try writer.save()
        }
        #expect(try Self.authors(others[0]) == 6 * Self.count + 6)
    }

    @Test("of two coordinators in turn gives no key twice")
    func keys() throws {
        let contexts = [try Self.open(path).context(), try Self.open(path).context()]
        for round in 0..<4 { try Self.save(round, contexts[round % 2]) }
        let request = NSFetchRequest<NSManagedObjectID>(entityName: "Author")
        request.resultType = .managedObjectIDResultType
        let ids = try contexts[0].fetch(request).map { $0.uriRepresentation().absoluteString }
        #expect(Set(ids).count == 4 * Self.count)
    }

    @Test("tells the permanent IDs of all its objects, be they new, changed or deleted")
    func identities() throws {
        let context = try Self.open(path).context()
        let told = Mutex<[Set<NSManagedObjectID>]>([])
        let keys: [NSManagedObjectContext.NotificationKey] = [.insertedObjectIDs, .updatedObjectIDs, .deletedObjectIDs]
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSaveObjectIDs, object: context, queue: nil
        ) { notification in
            let sets = keys.map { notification.userInfo?[$0.rawValue] as? Set<NSManagedObjectID> ?? [] }
            told.withLock { $0 = sets }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        func expect(_ place: Int, _ objects: [NSManagedObject], _ comment: Comment) {
            var sets = [Set<NSManagedObjectID>](repeating: [], count: keys.count)
            sets[place] = Set(objects.map(\.objectID))
            #expect(sets[place].count == objects.count && !sets[place].contains(where: \.isTemporaryID), comment)
            #expect(told.withLock { $0 } == sets, comment)
        }
        for round in 0..<2 {
            let authors = (0..<9000).map { context.make("Author", ["name": "\(round) \($0)"]) }
            try context.save()
            expect(0, authors, "inserted in round \(round)")
            for author in authors { author.setValue("changed", forKey: "name") }
            try context.save()
            expect(1, authors, "updated in round \(round)")
            for author in authors { context.delete(author) }
            try context.save()
            expect(2, authors, "deleted in round \(round)")
        }
    }

    @Test(
        "whose record the disk does not take leaves no row, and can be made again once the store is open again",
        arguments: [3000, 9000])
    func refused(count: Int) throws {
        let fileSystem = HeardFileSystem()
        let coordinator = try Self.open(path, fileSystem)
        let context = coordinator.context()
        try Self.save(0, context)
        fileSystem.hear { (call, path) throws(FileError) in
            if call == .write || call == .sync { throw FileError("write it", path: path, errno: ENOSPC) }
        }
        let error = #expect(throws: NSError.self) { try Self.save(1, context, count: count) }
        #expect(error?.domain == NSCocoaErrorDomain)
        #expect(context.insertedObjects.count == count)
        let isTemporary = context.insertedObjects.allSatisfy(\.objectID.isTemporaryID)
        #expect(isTemporary)
        #expect(try Self.authors(coordinator.context()) == Self.count)
        fileSystem.hear(nil)
        let opened = try Self.open(path).context()
        try Self.save(1, opened)
        #expect(try Self.authors(opened) == 2 * Self.count)
    }

    @Test("does not keep readers waiting while its record is made durable, and is not seen before")
    func unhindered() throws {
        let fileSystem = HeardFileSystem()
        let coordinator = try Self.open(path, fileSystem)
        let (writer, reader) = (coordinator.context(), coordinator.context())
        try Self.save(0, writer)
        let seen = Mutex<[Int]>([])
        fileSystem.hear { (operation, _) throws(FileError) in
            guard operation == .sync else { return }
            let count = try? Self.authors(reader)
            seen.withLock { $0.append(count ?? -1) }
        }
        try Self.save(1, writer)
        fileSystem.hear(nil)
        let counts = seen.withLock { $0 }
        #expect(!counts.isEmpty && counts.allSatisfy { $0 == Self.count }, "\(counts)")
        #expect(try Self.authors(reader) == 2 * Self.count)
    }

    #if compiler(>=6.3)  // Exit tests capture values since then.
    @Test("is there after the program was killed as soon as it had returned")
    func killed() async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let context = try Self.open(path).context()
            try Self.save(0, context)
            try Self.save(1, context)
            kill(getpid(), SIGKILL)
        }
        #expect(try Self.authors(Self.open(path).context()) == 2 * Self.count)
    }
    #endif

    #if compiler(>=6.3)  // Exit tests capture values since then.
    @Test("is in the tables when a program has ended by itself")
    func ended() async throws {
        await #expect(processExitsWith: .success) { [path = path as String] in
            let context = try Self.open(path).context()
            try Self.save(0, context)
            exit(0)
        }
        let tables = try Connection(.file(path), mode: .readOnly)
        #expect(try tables.integer("SELECT count(*) FROM Author") == Int64(Self.count))
    }
    #endif

    @Test("is taken by tables that another coordinator was about to write")
    func contended() throws {
        let (writer, other) = (try Self.open(path).context(), try Self.open(path).context())
        for round in 0..<3 {
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                let context = index == 0 ? writer : other
                context.performAndWait {
                    do { try Self.save(2 * round + index, context) } catch { Issue.record(error) }
                }
            }
        }
        #expect(try Self.authors(writer) == 6 * Self.count)
        #expect(try Self.authors(other) == 6 * Self.count)
    }
}
