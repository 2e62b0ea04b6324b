import CoreData
import Testing

/// Objects that tests of ported sources write in place of Core Data's own.
@Suite("Stand-ins for Core Data's own objects")
struct StandInTests {
    private final class DeleteResult: NSBatchDeleteResult {
        var ids: [NSManagedObjectID] = []
        override var result: Any? { ids }
    }
    private final class UpdateResult: NSBatchUpdateResult {
        override var result: Any? { 1 }
    }
    private final class InsertResult: NSBatchInsertResult {
        override var result: Any? { true }
    }

    @Test("results of batches are made without a request")
    func batchResults() {
        #expect((DeleteResult().result as? [NSManagedObjectID])?.isEmpty == true)
        #expect(UpdateResult().result as? Int == 1)
        #expect(InsertResult().result as? Bool == true)
        #expect(NSBatchDeleteResult().result == nil)
    }
}
