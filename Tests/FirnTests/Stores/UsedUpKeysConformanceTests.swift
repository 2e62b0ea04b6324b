import Firn
import FirnLog
import Foundation
import StoreSupport
import TestSupport
import Testing

/// A store of which somebody has given away the last key that there is.
@Suite("A store whose primary keys are used up")
struct UsedUpKeysConformanceTests {
    private let directory: TemporaryDirectory
    private let context: NSManagedObjectContext

    init() throws {
        directory = try TemporaryDirectory()
        let coordinator = try Library.onDisk(directory)
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        let log = try SegmentLog.open(directory: directory.path + "/Library.sqlite-log", forWriting: true)
        let model = try #require(try log.currentModel?.model)
        let author = try #require(model.entities.first { $0.name == "Author" })
        _ = try log.exclusively {
            try log.append(.reservation([author.number: .max]), header: TransactionHeader(date: 0, id: .random()))
        }
        log.close()
        context = try Library.onDisk(directory).context()
    }

    private func message(_ body: () throws -> Void) throws -> String {
        let error = #expect(throws: NSError.self) { try body() }
        return try #require(error).localizedDescription
    }

    @Test("m.8 refuses to save a new object with an error that names the entity")
    func save() throws {
        _ = context.make("Author", ["name": "Ada"])
        #expect(try message { try context.save() }.contains("Author has no primary keys left"))
        context.rollback()
        _ = context.make("Book", ["title": "Notes"])
        try context.save()
        #expect(try context.strings("Book", "title") == ["Notes"])
    }

    @Test("m.8 refuses a batch insertion with an error")
    func batch() throws {
        let request = NSBatchInsertRequest(entityName: "Author", objects: [["name": "Ada"]])
        #expect(try message { _ = try context.execute(request) }.contains("no primary keys left"))
    }

    @Test("m.8 refuses a permanent ID with an error")
    func permanentID() throws {
        let author = context.make("Author", ["name": "Ada"])
        #expect(throws: (any Error).self) { try context.obtainPermanentIDs(for: [author]) }
        #expect(author.objectID.isTemporaryID)
    }
}
