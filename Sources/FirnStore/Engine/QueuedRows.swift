import FirnLog
import FirnProjection

/// The rows that queued change sets will modify: those that wait for a shared log's answer, or to be written with
/// others.
struct QueuedRows {
    private var count = 0
    private var keys: Set<ObjectKey> = []

    var isEmpty: Bool { count == 0 }

    func contains(_ key: ObjectKey) -> Bool { count > 0 && keys.contains(key) }

    mutating func add(_ changes: ChangeSet) {
        count += 1
        // A new row is in no cache yet: a reader asks the tables.
        for group in changes.groups where group.operation != .insert {
            for key in group.primaryKeys { keys.insert(ObjectKey(entity: group.entity, primaryKey: key)) }
        }
    }

    /// One of them was appended, or will not be.
    mutating func removeOne() {
        count -= 1
        if count == 0 { keys.removeAll() }
    }
}
