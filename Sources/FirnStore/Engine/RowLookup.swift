package import FirnLog
import FirnModel
package import FirnProjection

/// What of a store's rows a save asks for while it looks for conflicts.
package protocol RowLookup: AnyObject {
    var schema: StoreSchema { get }
    /// Objects that another save deleted, and that this one writes again.
    var revived: Set<ObjectKey> { get set }
    /// Whether a row was changed by a save of which this program hears only now.
    func isRemote(_ key: ObjectKey) -> Bool
    /// The newest row, of this program or another.
    func snapshot(_ key: ObjectKey) throws -> Snapshot?
    /// Whether there is a row, in whatever version.
    func exists(_ key: ObjectKey) throws -> Bool
    /// The keys of rows whose properties have these values: for uniqueness constraints.
    func keys(entity: EntityNumber, slots: [Int], values: [PropertyValue]) throws -> [ObjectKey]
}

extension RowLookup {
    package func exists(_ key: ObjectKey) throws -> Bool { try snapshot(key) != nil }
}
