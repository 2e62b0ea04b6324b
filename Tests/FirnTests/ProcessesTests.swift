// Exit tests capture values since Swift 6.3.
#if compiler(>=6.3)
import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Contexts of two processes over one store: the other process is an exit test's.
@Suite("Contexts of two processes")
struct ProcessesTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("Library.sqlite").path
    }

    private static func open(_ path: String) throws -> NSPersistentStoreCoordinator {
        StoresOnServer.begin
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(filePath: path),
            options: [NSPersistentStoreRemoteChangeNotificationPostOptionKey: true])
        return coordinator
    }

    /// Another process changes Ada's name and age.
    private func changeElsewhere() async {
        await #expect(processExitsWith: .success) { [path = path as String] in
            let context = try Self.open(path).context()
            let author = try #require(try context.all("Author").first)
            author.setValue("Theirs", forKey: "name")
            author.setValue(40, forKey: "age")
            try context.save()
        }
    }

    @Test(
        "what another process saved is a conflict, which the merge policy decides",
        arguments: [
            (NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType, "Theirs", 40),
            (.mergeByPropertyObjectTrumpMergePolicyType, "Mine", 40),
            (.overwriteMergePolicyType, "Mine", 36), (.rollbackMergePolicyType, "Theirs", 40),
        ])
    func conflict(_ policy: NSMergePolicyType, _ name: String, _ age: Int) async throws {
        let context = try Self.open(path).context()
        let author = context.make("Author", ["name": "Ada", "age": 36])
        try context.save()
        await changeElsewhere()
        author.setValue("Mine", forKey: "name")
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.code == NSManagedObjectMergeError)
        let conflict = (error?.userInfo["conflictList"] as? [NSMergeConflict])?.first
        #expect(conflict?.sourceObject === author)
        // In the store, or in the cache already: the store is followed.
        #expect((conflict?.persistedSnapshot ?? conflict?.cachedSnapshot)?["name"] as? String == "Theirs")
        context.mergePolicy = NSMergePolicy(merge: policy)
        try context.save()
        #expect(author.text("name") == name)
        #expect(author.number("age") == age)
        let reader = try Self.open(path).context()
        let stored = try #require(try reader.all("Author").first)
        #expect(stored.text("name") == name)
        #expect(stored.number("age") == age)
    }

    @Test("an object that another process deleted is a conflict; under store trump it is gone")
    func deletion() async throws {
        let context = try Self.open(path).context()
        let author = context.make("Author", ["name": "Ada"])
        try context.save()
        await #expect(processExitsWith: .success) { [path = path as String] in
            let context = try Self.open(path).context()
            try context.all("Author").forEach(context.delete)
            try context.save()
        }
        author.setValue("Mine", forKey: "name")
        _ = context.make("Book", ["title": "Notes", "author": author])
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.code == NSManagedObjectMergeError)
        context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        try context.save()
        let reader = try Self.open(path).context()
        #expect(try reader.all("Author").isEmpty)
        #expect(try reader.all("Book").map { $0.value(forKey: "author") as? NSManagedObject } == [nil])
    }

    @Test("the coordinator tells of a remote change, and a context that follows has it", .timeLimit(.minutes(30)))
    func following() async throws {
        let coordinator = try Self.open(path)
        let context = coordinator.context()
        context.automaticallyMergesChangesFromParent = true
        let author = try context.performAndWait {
            let author = context.make("Author", ["name": "Ada"])
            try context.save()
            return author
        }
        let (merges, merge) = AsyncStream.makeStream(of: Void.self)
        let (remotes, remote) = AsyncStream.makeStream(of: Void.self)
        let watches = [
            Watch(.NSManagedObjectContextObjectsDidChange, context) { _ in
                if author.text("name") == "Theirs" { merge.finish() }
            },
            Watch(.NSPersistentStoreRemoteChange, coordinator) { _ in remote.finish() },
        ]
        await changeElsewhere()
        for await _ in remotes {}
        for await _ in merges {}
        context.performAndWait { #expect(author.number("age") == 40) }
        withExtendedLifetime(watches) {}
    }

    @Test("no increment is lost of two processes that try again when a save is refused")
    func counters() async throws {
        let context = try Self.open(path).context()
        try context.performAndWait {
            _ = context.make("Author", ["name": "Ada", "age": 0])
            try context.save()
        }
        async let elsewhere: Void = countElsewhere()
        try context.performAndWait { try Self.count(context) }
        await elsewhere
        let reader = try Self.open(path).context()
        #expect(try reader.all("Author").first?.number("age") == 100)
    }

    private func countElsewhere() async {
        await #expect(processExitsWith: .success) { [path = path as String] in
            try Self.count(Self.open(path).context())
        }
    }

    /// Adds one fifty times.
    private static func count(_ context: NSManagedObjectContext) throws {
        let author = try #require(try context.all("Author").first)
        for _ in 0..<50 {
            while true {
                author.setValue((author.number("age") ?? 0) + 1, forKey: "age")
                do {
                    try context.save()
                    break
                } catch let error as NSError where error.code == NSManagedObjectMergeError {
                    context.refresh(author, mergeChanges: false)
                }
            }
        }
    }
}
#endif
