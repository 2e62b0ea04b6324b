import FirnModel
import Testing

@Suite struct FetchRequestTests {
    @Test("A request made by name has the name, and no entity until it is resolved")
    func byName() {
        let request = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
        #expect(request.entityName == "Book")
        #expect(request.entity == nil)
        let book = Library().book
        request.resolveEntity(book)
        #expect(request.entity === book)
    }

    @Test("A copy of another result type asks the same")
    func copy() {
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        request.fetchLimit = 5
        request.resultType = .managedObjectIDResultType
        request.includesSubentities = false
        let copy = request.withResultType(NSManagedObjectID.self)
        #expect(copy.entityName == "Book")
        #expect(copy.fetchLimit == 5)
        #expect(copy.resultType == .managedObjectIDResultType)
        #expect(!copy.includesSubentities)
    }

    @Test("A new request has Apple's defaults")
    func defaults() {
        let request = NSFetchRequest<NSManagedObjectID>()
        #expect(request.includesSubentities && request.includesPropertyValues)
        #expect(request.includesPendingChanges && request.returnsObjectsAsFaults)
        #expect(!request.returnsDistinctResults && !request.shouldRefreshRefetchedObjects)
        #expect(request.fetchLimit == 0 && request.fetchOffset == 0 && request.fetchBatchSize == 0)
        #expect(request.resultType == .managedObjectResultType)
    }
}
