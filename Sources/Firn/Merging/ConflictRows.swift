import FirnStore

/// The rows with which a save finds and resolves conflicts.
final class ConflictRows {
    /// Returns the newest row under a key, of this program or another.
    let row: (ObjectKey) throws -> Snapshot?
    /// Objects that another save deleted, and that this one writes again.
    var revived: Set<ObjectKey> = []

    init(_ row: @escaping (ObjectKey) throws -> Snapshot?) { self.row = row }
}
