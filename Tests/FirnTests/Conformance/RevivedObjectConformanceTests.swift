import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Deletions that are taken back before they are saved.
@Suite("Conformance (m): deletions that are taken back")
struct RevivedObjectConformanceTests {
    private let directory: TemporaryDirectory
    private let context: NSManagedObjectContext
    private let author: NSManagedObject

    init() throws {
        directory = try TemporaryDirectory()
        context = try Library.onDisk(directory).context()
        author = context.make("Author", ["name": "Ada"])
        try context.save()
    }

    @Test("m.42 a rollback announces the objects whose deletion it takes back as inserted")
    func rollback() throws {
        context.delete(author)
        context.processPendingChanges()
        let changes = Recorder(.NSManagedObjectContextObjectsDidChange, context)
        context.rollback()
        let told = changes.notifications.compactMap { $0.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject> }
        #expect(told == [[author]])
    }

    @Test("m.42 a deleted object that is inserted again is not deleted by the save")
    func insertedAgain() throws {
        context.delete(author)
        context.insert(author)
        #expect(!author.isDeleted)
        try context.save()
        #expect(try context.all("Author") == [author])
    }
}
