package import FirnLog
import FirnModel

/// A source of the rows that a save needs to find conflicts.
package protocol RowLookup: ValueLookup {
    /// Objects that another save deleted, and that this one writes again.
    var revived: Set<ObjectKey> { get set }
    /// Whether a row was changed by a save of which this program hears only now.
    func isRemote(_ key: ObjectKey) -> Bool
    /// The newest row, of this program or another.
    func snapshot(_ key: ObjectKey) throws -> Snapshot?
    /// Whether there is a row, in whatever version.
    func exists(_ key: ObjectKey) throws -> Bool
}

extension RowLookup {
    package func exists(_ key: ObjectKey) throws -> Bool { try snapshot(key) != nil }
}
