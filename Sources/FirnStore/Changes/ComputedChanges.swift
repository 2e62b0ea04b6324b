package import FirnLog

/// A computation of the store from its rows, such as a batch request.
///
/// It is computed without a lock; and once more with it, if its tables were written in between. So it changes nothing
/// but what it returns.
package protocol ChangeComputation {
    func changeSet(_ reader: TableReader) throws -> ComputedChanges
}

package struct ComputedChanges {
    package var changes: ChangeSet
    /// The objects that it is about.
    package var keys: [ObjectKey]

    package init(_ changes: ChangeSet, keys: [ObjectKey] = []) {
        self.changes = changes
        self.keys = keys
    }
}
