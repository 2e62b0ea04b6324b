import Firn
import FirnLog
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// The power goes: what was not synced leaves the log, but may have stayed in the tables.
@Suite("What a save survives")
struct DurabilityTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func open(_ durability: Durability) throws -> NSPersistentStoreCoordinator {
        let description = NSPersistentStoreDescription(url: directory.file("Library.sqlite"))
        description.durability = durability
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        var failure: (any Error)?
        coordinator.addPersistentStore(with: description) { failure = $1 }
        if let failure { throw failure }
        return coordinator
    }

    private func save(_ name: String, _ coordinator: NSPersistentStoreCoordinator) throws {
        let context = coordinator.context()
        _ = context.make("Author", ["name": name])
        try context.save()
    }

    /// Takes the last record off the log.
    private func loseLastRecord() throws {
        let log = try SegmentLog.open(directory: directory.path + "/Library.sqlite-log", forWriting: false)
        let frame = try log.frame(at: log.head)
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: frame.path))
        try file.seek(toOffset: UInt64(frame.offset))
        try file.write(contentsOf: Data(count: frame.frameSize))
        try file.close()
    }

    @Test("tables that hold a record which went with the power are built anew", arguments: [false, true])
    func unsynced(_ isOverwritten: Bool) throws {
        try save("Ada", open(.system))
        try save("Bob", open(.system))
        try loseLastRecord()
        if isOverwritten {
            // Somebody without the tables goes on: the log is as long as before, with another last record.
            let log = try SegmentLog.open(directory: directory.path + "/Library.sqlite-log", forWriting: true)
            let header = TransactionHeader(date: 0, id: .random())
            _ = try log.exclusively { try log.append(.reservation([:]), header: header) }
        }
        let coordinator = try open(.system)
        #expect(try coordinator.context().strings("Author", "name") == ["Ada"])
        try save("Cid", coordinator)
        #expect(try coordinator.context().strings("Author", "name") == ["Ada", "Cid"])
    }

    @Test("a record that was durable and is gone is damage, with its place")
    func lost() throws {
        try save("Ada", open(.synced))
        try save("Bob", open(.synced))
        try loseLastRecord()
        let error = #expect(throws: NSError.self) { try open(.synced) }
        #expect(error?.localizedDescription.contains("a record that was durable") == true, "\(error as Any)")
    }

    @Test(
        "a description keeps its durability",
        arguments: [.synced, .bounded(microseconds: 2500), .system] as [Durability])
    func description(_ durability: Durability) {
        let description = NSPersistentStoreDescription()
        description.durability = durability
        #expect((description.copy() as? NSPersistentStoreDescription)?.durability == durability)
    }

    @Test("what eight threads saved at the same time is durable when the store is closed")
    func closed() throws {
        do {
            let coordinator = try open(.synced)
            DispatchQueue.concurrentPerform(iterations: 8) { index in
                for round in 0..<10 { try? save("\(index).\(round)", coordinator) }
            }
        }
        try loseLastRecord()
        #expect(throws: NSError.self) { try open(.synced) }
    }
}
