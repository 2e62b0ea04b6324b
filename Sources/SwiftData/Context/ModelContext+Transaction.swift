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
        let models = captureInserted(inserted.filter(\.isInserted), \.isInserted)
        for model in models { model.storage.detach(isDeleted: false) }
    }

    /// Reads the values of new models that leave, and of those that they lead to and that nobody had until now.
    ///
    /// - Parameter leaves: whether the object of a related model leaves, too.
    /// - Returns: all models that leave.
    final func captureInserted(
        _ objects: [ModelObject], _ leaves: (ModelObject) -> Bool
    ) -> [any PersistentModel] {
        // A model may have been inserted again with another object.
        var models = objects.flatMap { object in object.models.filter { $0.storage.object === object } }
        var seen = Set(models.map { ObjectIdentifier($0) })
        var index = 0
        while index < models.count {
            for related in models[index].storage.captureInserted() {
                guard let object = related.model.storage.object, leaves(object), seen.insert(related.address).inserted
                else { continue }
                models.append(related.model)
            }
            index += 1
        }
        return models
    }
}
#endif
