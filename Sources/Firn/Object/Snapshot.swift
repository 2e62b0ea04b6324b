import FirnLog
import FirnProjection

/// An object's values as they were last read or saved: one row of a batch that the row cache, the fetch or the
/// save made, shared by every context that holds the object. Immutable.
struct Snapshot {
    let batch: RowBatch
    let row: Int

    /// The sequence number of the change set that last touched the row: `Z_OPT`.
    var version: Int64 { batch.versions[row] }

    var key: ObjectKey { ObjectKey(entity: batch.entity, primaryKey: batch.primaryKeys[row]) }

    /// The column of a slot, or nil if the slot is null in every row of the batch or has no storage.
    @inline(__always)
    func column(_ slot: Int) -> Column? {
        guard let column = batch.columns[slot], !column.isNull(at: row) else { return nil }
        return column
    }

    func value(_ slot: Int) -> PropertyValue { batch.columns[slot]?[row] ?? .null }
}
