#if SwiftData
import Firn

extension ModelContext {
    /// Runs a block and saves.
    ///
    /// If the block or the save throws, what the block changed is dropped. What was unsaved before the block is unsaved
    /// again, unless the block saved or rolled back: then the context is rolled back to that.
    /// https://developer.apple.com/documentation/swiftdata/modelcontext/transaction(block:)
    public final func transaction(block: () throws -> Void) throws {
        let (count, deletions, batches) = (saveCount, setDeletions, pendingBatches)
        let record = managed.beginUndoRecord()
        openBlocks += 1
        do {
            defer { openBlocks -= 1 }
            try block()
            try save()
        } catch {
            if saveCount == count {
                managed.processPendingChanges()
                detach(record.inserted.compactMap { $0 as? ModelObject })
                managed.revert(record)
                (setDeletions, pendingBatches) = (deletions, batches)
                discardTemporaryIdentifiers()
            } else {
                managed.endUndoRecord(record)
                rollback()
            }
            throw error
        }
        managed.endUndoRecord(record)
    }

    /// Models that are not inserted any more leave, with the values that they have.
    final func detach(_ inserted: [ModelObject]) {
        let models = inserted.filter(\.isInserted).flatMap(\.models)
        for model in models { model.storage.captureValues() }
        for model in models { model.storage.detach(isDeleted: false) }
    }
}
#endif
