import FirnStore
import FirnModel
import FirnProjection

/// Objects whose rows are read together when the first of their faults fires.
protocol FaultLoading: AnyObject {
    func load()
}

/// Hints that a fetch left with an object, so that later accesses cost less. They go when the object is refreshed,
/// merged or saved.
final class FetchHints {
    /// The objects that are read with this one when its fault fires.
    var batch: (any FaultLoading)?
    /// A row with some of the properties: what the object tells without firing its fault.
    var partial: Snapshot?
    /// Members that were read ahead.
    private var members: [PrefetchedMembers] = []

    private struct PrefetchedMembers {
        let slot: Int
        /// Of the owner, when the members were read: a save that changes them touches it.
        let version: Int64
        /// Held, as they may have hints of their own.
        let objects: [NSManagedObject]
    }

    func setMembers(_ objects: [NSManagedObject], slot: Int, version: Int64) {
        members.removeAll { $0.slot == slot }
        members.append(PrefetchedMembers(slot: slot, version: version, objects: objects))
    }

    func members(slot: Int, version: Int64) -> [NSManagedObject]? {
        members.first { $0.slot == slot && $0.version == version }?.objects
    }
}

extension NSManagedObject {
    /// The object's hints, made if there are none.
    final func consumeHints() -> FetchHints {
        if let hints { return hints }
        let made = FetchHints()
        hints = made
        return made
    }

    /// The row that tells a property of a fault which was fetched in part.
    final func partialRow(_ slot: Int) -> Snapshot? {
        guard let row = hints?.partial, row.batch.columns[slot] != nil,
            layout.slots[slot].attributeType != .transformableAttributeType
        else { return nil }
        return row
    }
}
