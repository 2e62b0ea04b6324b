import FirnStore

/// The rows with which a save finds and resolves conflicts.
final class ConflictRows {
    /// Returns the newest row of an object, of this program or another; in a child, what its parent shows.
    let row: (NSManagedObject) throws -> Snapshot?
    /// Objects that another save deleted, and that this one writes again.
    var revived: Set<ObjectKey> = []
    /// For objects that went because of a uniqueness constraint, those that have the values.
    var successors: [ObjectReference: NSManagedObject] = [:]

    init(_ row: @escaping (NSManagedObject) throws -> Snapshot?) { self.row = row }
}
