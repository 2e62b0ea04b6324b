import Firn
import FirnModel
import Foundation
import TestSupport
import Testing

@Suite("Conformance (d): a fetch from several stores")
struct SeveralStoresConformanceTests {
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext

    /// Even books in one store, odd ones in the other.
    init() throws {
        coordinator = try Library.inMemory()
        _ = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        context = coordinator.context()
        for pages in 0..<10 {
            context.assign(context.make("Book", ["pages": pages]), to: coordinator.persistentStores[pages % 2])
        }
        try context.save()
    }

    private func request() -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: false)]
        return request
    }

    @Test("is sorted and cut as one")
    func window() throws {
        let request = request()
        (request.fetchOffset, request.fetchLimit) = (2, 3)
        #expect(try context.fetch(request).map { $0.number("pages") } == [7, 6, 5])
        #expect(try context.count(for: request) == 3)
    }

    @Test("d.13 asks the affected stores only")
    func affected() throws {
        let request = request()
        request.affectedStores = [coordinator.persistentStores[1]]
        #expect(try context.fetch(request).map { $0.number("pages") } == [9, 7, 5, 3, 1])
        let update = NSBatchUpdateRequest(entityName: "Book")
        update.propertiesToUpdate = ["pages": 0]
        update.affectedStores = [coordinator.persistentStores[0]]
        update.resultType = .updatedObjectsCountResultType
        #expect(try ((context.execute(update) as? NSBatchUpdateResult)?.result as? NSNumber)?.intValue == 5)
    }
}
