import Firn
import FirnLog
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// A store whose author's name is erased by one coordinator, while others have read the past.
@Suite("Past states and erasures")
struct ErasedPastTests {
    private static let secret = "xyzzy-nobody-may-know"
    private let directory: TemporaryDirectory
    private let coordinator: NSPersistentStoreCoordinator
    private let context: NSManagedObjectContext
    private let ada: NSManagedObject
    private let named: SequenceNumber

    init() throws {
        directory = try TemporaryDirectory()
        coordinator = try Library.onDisk(directory)
        context = coordinator.context()
        ada = context.make("Author", ["name": Self.secret, "age": 36])
        try context.save()
        let log = try SegmentLog.open(directory: directory.file("Library.sqlite-log").path, forWriting: false)
        named = log.head
        try rename("Ada")
    }

    private func rename(_ name: String) throws {
        ada.setValue(name, forKey: "name")
        try context.save()
    }

    private func names(in context: NSManagedObjectContext) throws -> [String?] {
        try context.performAndWait {
            context.refreshAllObjects()
            return try context.all("Author").map { $0.value(forKey: "name") as? String }
        }
    }

    @Test("A context of the past reads nothing that was erased since it was made")
    func sameCoordinator() throws {
        let past = try coordinator.newContext(asOf: .sequence(named))
        #expect(try names(in: past) == [Self.secret])
        try coordinator.erase(ada.objectID, property: "name")
        #expect(try names(in: past) == [nil])
    }

    @Test("An object of the past that is read once more is without what was erased since")
    func again() throws {
        let past = try coordinator.newContext(asOf: .sequence(named))
        let author = try #require(try past.all("Author").first)
        #expect(author.value(forKey: "name") as? String == Self.secret)
        try coordinator.erase(ada.objectID, property: "name")
        past.refreshAllObjects()
        #expect(author.value(forKey: "name") as? String == nil)
    }

    @Test("A context that is pinned to a generation reads nothing that was erased since")
    func pinned() throws {
        try rename(Self.secret)
        let pinned = coordinator.context()
        try pinned.setQueryGenerationFrom(.current)
        #expect(try names(in: pinned) == [Self.secret])
        try rename("Ada")
        #expect(try names(in: pinned) == [Self.secret])
        try coordinator.erase(ada.objectID, property: "name")
        #expect(try names(in: pinned) == [nil])
    }

    @Test("A past that another coordinator has read is without what this one erases, though it heard of nothing else")
    func otherCoordinator() throws {
        let other = try Library.onDisk(directory)
        let past = try other.newContext(asOf: .sequence(named))
        #expect(try names(in: past) == [Self.secret])
        try coordinator.erase(ada.objectID, property: "name")
        #expect(try names(in: past) == [nil])
        #expect(try names(in: other.newContext(asOf: .sequence(named))) == [nil])
    }

    @Test("A past in tables that were copied for a point is without what is erased")
    func copied() throws {
        let past = try coordinator.newContext(asOf: .sequence(named))
        // Reading so often is worth tables of their own.
        for _ in 0..<200 { _ = try names(in: past) }
        try coordinator.erase(ada.objectID, property: "name")
        #expect(try names(in: past) == [nil])
    }

    @Test("A past that is read without the right to write leaves no file, and is without what is erased")
    func readOnly() throws {
        let other = NSPersistentStoreCoordinator(managedObjectModel: coordinator.managedObjectModel)
        _ = try other.addPersistentStore(
            type: .sqlite, at: directory.file("Library.sqlite"), options: [NSReadOnlyPersistentStoreOption: true])
        let past = try other.newContext(asOf: .sequence(named))
        #expect(try names(in: past) == [Self.secret])
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
        #expect(files.filter { $0.contains("-history") } == [])
        try coordinator.erase(ada.objectID, property: "name")
        #expect(try names(in: past) == [nil])
    }

    @Test("A past is read on after another coordinator trimmed the log")
    func trimmed() throws {
        let other = try Library.onDisk(directory)
        _ = try names(in: other.newContext(asOf: .sequence(named)))
        for index in 0..<5 {
            _ = context.make("Author", ["name": "other \(index)"])
            try context.save()
        }
        try coordinator.trimHistory(keeping: HistoryRetention(transactionCountMax: 2))
        let past = try other.newContext(asOf: .sequence(SequenceNumber(named.rawValue + 5)))
        #expect(try Set(names(in: past)) == ["Ada", "other 0", "other 1", "other 2", "other 3"])
    }

    @Test("The side file of a migration that was killed goes with an erasure")
    func killedMigration() throws {
        let side = directory.file("Library.sqlite.migration")
        try FileManager.default.copyItem(at: directory.file("Library.sqlite"), to: side)
        try coordinator.erase(ada.objectID, property: "name")
        #expect(!FileManager.default.fileExists(atPath: side.path))
    }
}
