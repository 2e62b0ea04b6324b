import Firn
import FirnInspection
import FirnModel
import Foundation
import StoreSupport
import Testing

@Suite("Putting back in one of several stores")
struct SeveralStoresRevertTests {
    let coordinator: NSPersistentStoreCoordinator
    let second: NSPersistentStore
    let context: NSManagedObjectContext
    let ada: NSManagedObject
    let book: NSManagedObject

    init() throws {
        coordinator = try Library.inMemory()
        second = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        context = coordinator.context()
        ada = context.make("Author", ["name": "Ada"])
        book = context.make("Book", ["title": "Notes"])
        for object in [ada, book] { context.assign(object, to: second) }
        try context.save()
    }

    private func last() throws -> NSPersistentHistoryTransaction {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
        request.affectedStores = [second]
        let result = try context.execute(request) as? NSPersistentHistoryResult
        return try #require((result?.result as? [NSPersistentHistoryTransaction])?.last)
    }

    @Test("brings what was deleted back into its store")
    func store() throws {
        context.delete(book)
        try context.save()
        try context.revert(last())
        try context.save()
        let again = try #require(try coordinator.context().all("Book").first)
        #expect(again.objectID.persistentStore === second)
    }

    @Test("brings it back with what it led to there")
    func relationship() throws {
        book.setValue(ada, forKey: "author")
        try context.save()
        context.delete(book)
        try context.save()
        try context.revert(last())
        // Is error 133010: the book would be in the first store, its author is in the second.
        try context.save()
    }

    @Test("asks no other store whether it has the point")
    func restored() throws {
        let point = try last().transactionNumber
        ada.setValue("Eve", forKey: "name")
        try context.save()
        let key = ada.objectID.uriRepresentation().lastPathComponent
        let reversal = try Reversal(
            .object(ObjectName("Author/\(key)"), property: "name", sequence: .init(UInt64(point))), in: second,
            of: coordinator, author: "test", name: "test"
        ) { try $1.save() }
        #expect(reversal.obstacles.isEmpty, "\(reversal.obstacles)")
        #expect(reversal.changes.count == 1)
    }
}
