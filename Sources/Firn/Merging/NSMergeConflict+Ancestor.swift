import FirnStore
import FirnLog
import FirnModel
import FirnProjection
import Foundation

extension NSMergeConflict {
    /// The object as it was when this context read it, from the log: attributes, to-one relationships as object IDs,
    /// and, beyond `objectSnapshot`, the members of to-many relationships, as a set of object IDs or, ordered, an
    /// array. What both sides began with. Nulls are `NSNull`. Ours, not Apple's.
    ///
    /// Throws if the log does not reach back that far. Complexity: as `NSPersistentStoreCoordinator.newContext(asOf:)`.
    public func commonAncestor() throws -> [String: Any] {
        guard let store = sourceObject.store, let engine = store.backend?.engine, oldVersionNumber > 0 else {
            throw CoreDataError.make(
                .persistentStoreOperation,
                "\(sourceObject.objectID.uriRepresentation()) has no history: it was never saved, or its store is "
                    + "closed")
        }
        var result = objectSnapshot ?? [:]
        let (past, schema) = try engine.past(at: SequenceNumber(UInt64(oldVersionNumber)))
        let key = sourceObject.key
        guard let then = schema.entity(key.entity)?.layout else { return result }
        try past.read { reader in
            for slot in sourceObject.layout.toManySlots {
                let info = sourceObject.layout.slots[slot]
                // The model of that time may have had the relationship elsewhere, or not at all.
                guard let place = then.slot(named: info.name), then.slots[place].isToMany, !info.isTransient,
                    !then.slots[place].isTransient
                else { continue }
                let ids = try reader.members(of: key, slot: place).compactMap(store.objectID)
                result[info.name] = info.toMany?.isOrdered ?? false ? ids : Set(ids) as Any
            }
        }
        return result
    }
}
