package import FirnLog
package import FirnModel
package import FirnProjection

/// An object's values as they were last read or saved: one row of a batch that the row cache, the fetch or the
/// save made, shared by every context that holds the object. Immutable.
package struct Snapshot {
    package let batch: RowBatch
    package let row: Int

    package init(batch: RowBatch, row: Int) { (self.batch, self.row) = (batch, row) }

    /// The sequence number of the change set that last touched the row: `Z_OPT`.
    package var version: Int64 { batch.versions[row] }

    package var key: ObjectKey { ObjectKey(entity: batch.entity, primaryKey: batch.primaryKeys[row]) }

    /// The column of a slot, or nil if the slot is null in every row of the batch or has no storage.
    @inline(__always)
    package func column(_ slot: Int) -> Column? {
        guard let column = batch.columns[slot], !column.isNull(at: row) else { return nil }
        return column
    }

    /// The ID of the object that the row leads to, where a key in the row's store does not say which one it is.
    @inline(__always)
    package func identity(_ slot: Int) -> NSManagedObjectID? { batch.identities?[slot] }

    /// Whether the row may refer to values in files of their own.
    @inline(__always)
    package var isOfStore: Bool { batch.identities == nil }

    package func value(_ slot: Int) -> PropertyValue { batch.columns[slot]?[row] ?? .null }

    /// Whether a value is the one in the slot, which may be in a file of its own. O(bytes)
    package func holds(_ value: PropertyValue, _ info: Slot) -> Bool {
        let held = self.value(info.index)
        guard isOfStore, case (.blob(let row), .blob(let bytes)) = (held, value),
            let reference = ExternalReference(bytes: row)
        else { return held == value }
        return bytes.withUnsafeBytes(ExternalReference.init(to:)) == reference
    }
}
