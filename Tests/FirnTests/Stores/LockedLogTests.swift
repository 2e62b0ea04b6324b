import Firn
import FirnLog
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Another program may hold the writer's lock for long, such as one that saves much, or that a debugger stopped.
@Suite("A program that only reads, while another one may write")
struct LockedLogTests {
    private let directory: TemporaryDirectory
    private let writer: NSPersistentStoreCoordinator

    init() throws {
        directory = try TemporaryDirectory()
        writer = try Library.onDisk(directory)
        let context = writer.context()
        _ = context.make("Author", ["name": "Ada"])
        try context.save()
    }

    /// Waiting for the lock fails at once.
    private func reader(isReadOnly: Bool = false, isWatching: Bool = false) throws -> NSPersistentStoreCoordinator {
        try Library.onDisk(
            directory,
            options: [
                NSPersistentStoreTimeoutOption: 0.01, NSReadOnlyPersistentStoreOption: isReadOnly,
                NSPersistentStoreRemoteChangeNotificationPostOptionKey: isWatching,
            ])
    }

    private func rename(_ name: String) throws {
        let context = writer.context()
        try #require(try context.all("Author").first).setValue(name, forKey: "name")
        try context.save()
    }

    /// A lock belongs to the open file: that of another program would hold as this one does.
    private func locked<R>(_ body: () throws -> R) throws -> R {
        let log = try SegmentLog.open(directory: directory.path + "/Library.sqlite-log", forWriting: true)
        defer { log.close() }
        return try log.exclusively { try body() }
    }

    private func transactionCount(_ reader: NSPersistentStoreCoordinator) throws -> Int? {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
        let result = try reader.context().execute(request) as? NSPersistentHistoryResult
        return (result?.result as? [NSPersistentHistoryTransaction])?.count
    }

    @Test("reads the history of what was saved before, and the rows as they are", arguments: [false, true])
    func history(isReadOnly: Bool) throws {
        let reader = try reader(isReadOnly: isReadOnly)
        #expect(try reader.context().strings("Author", "name") == ["Ada"])
        try rename("Bob")
        try locked { () throws in
            #expect(try transactionCount(reader) == 2)
            #expect(try reader.context().strings("Author", "name") == ["Bob"])
        }
    }

    @Test("drops the cached rows that others changed", arguments: [false, true])
    func cachedRow(isReadOnly: Bool) throws {
        let reader = try reader(isReadOnly: isReadOnly)
        let context = reader.context()
        let author = try #require(try context.all("Author").first)
        #expect(author.text("name") == "Ada")
        try rename("Bob")
        try locked { () throws in
            #expect(try transactionCount(reader) == 2)
            context.refreshAllObjects()
            #expect(author.text("name") == "Bob")
        }
    }

    @Test("drops all cached rows when others cut off what it has not seen", arguments: [false, true])
    func trimmed(isReadOnly: Bool) throws {
        let reader = try reader(isReadOnly: isReadOnly)
        let context = reader.context()
        let author = try #require(try context.all("Author").first)
        #expect(author.text("name") == "Ada")
        for name in ["Bob", "Cid"] { try rename(name) }
        let token = writer.currentPersistentHistoryToken(fromStores: nil)
        _ = try writer.context().execute(NSPersistentHistoryChangeRequest.deleteHistory(before: token))
        try rename("Dan")
        try locked { () throws in
            #expect(try transactionCount(reader) == 2)
            context.refreshAllObjects()
            #expect(author.text("name") == "Dan")
        }
    }

    @Test("saves over what it heard of, once nobody else may write")
    func saving() throws {
        let reader = try reader()
        try rename("Bob")
        try locked { () throws in #expect(try transactionCount(reader) == 2) }
        let context = reader.context()
        try #require(try context.all("Author").first).setValue("Cid", forKey: "name")
        _ = context.make("Author", ["name": "Dan"])
        try context.save()
        #expect(try Set(writer.context().strings("Author", "name")) == ["Cid", "Dan"])
    }

    @Test("is notified of each save of others, and merges it", .timeLimit(.minutes(1)), arguments: [false, true])
    func notified(isReadOnly: Bool) async throws {
        let reader = try reader(isReadOnly: isReadOnly, isWatching: true)
        let context = reader.context()
        context.automaticallyMergesChangesFromParent = true
        let author = try context.performAndWait {
            let author = try #require(try context.all("Author").first)
            #expect(author.text("name") == "Ada")
            return author
        }
        let changes = RemoteChanges(reader)
        for name in ["Bob", "Cid"] {
            let (merges, merge) = AsyncStream.makeStream(of: Void.self)
            let watch = Watch(.NSManagedObjectContextObjectsDidChange, context) { _ in
                if author.text("name") == name { merge.finish() }
            }
            try rename(name)
            let token = writer.currentPersistentHistoryToken(fromStores: nil)
            while let change = await changes.next(), change.token != token {}
            for await _ in merges {}
            withExtendedLifetime(watch) {}
        }
    }

    #if compiler(>=6.3)  // Exit tests capture values since then.
    @Test("is notified of the save of another process if it opened the store for reading", .timeLimit(.minutes(1)))
    func notifiedOfProcess() async throws {
        let reader = try reader(isReadOnly: true, isWatching: true)
        let changes = RemoteChanges(reader)
        await #expect(processExitsWith: .success) { [path = directory.path as String] in
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
            _ = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: URL(filePath: path + "/Library.sqlite"))
            let context = coordinator.context()
            try context.all("Author").first?.setValue("Bob", forKey: "name")
            try context.save()
            exit(0)
        }
        _ = await changes.next()
        #expect(try reader.context().strings("Author", "name") == ["Bob"])
        #expect(try transactionCount(reader) == 2)
    }
    #endif
}
