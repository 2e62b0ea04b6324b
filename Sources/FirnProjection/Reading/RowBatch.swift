package import FirnLog

/// Rows of one entity as they were read, in columns. Never changed after; contexts share it as their snapshot.
package final class RowBatch: Sendable {
    /// The concrete entity of all rows.
    package let entity: EntityNumber
    package let primaryKeys: [Int64]
    /// Of each row, the sequence number of the change set that last touched it (`Z_OPT`).
    package let versions: [Int64]
    /// By slot. Nil for a property without storage, and for one that was not fetched.
    package let columns: [Column?]

    package init(
        entity: EntityNumber, primaryKeys: [Int64], versions: [Int64], columns: [Column?]
    ) {
        self.entity = entity
        self.primaryKeys = primaryKeys
        self.versions = versions
        self.columns = columns
    }

    package var count: Int { primaryKeys.count }

    package func key(at row: Int) -> ObjectKey {
        ObjectKey(entity: entity, primaryKey: primaryKeys[row])
    }

    /// Null for a property without a column here.
    package func value(at row: Int, slot: Int) -> PropertyValue { columns[slot]?[row] ?? .null }
}

/// The rows of a fetch: one batch for each concrete entity, and the order in which the rows came.
package struct FetchedRows: Sendable {
    /// One row: which batch, and where in it.
    package struct Place: Hashable, Sendable {
        package var batch: Int32
        package var row: Int32
    }

    package let batches: [RowBatch]
    /// Empty when there is one batch at most: the order is then that of its rows.
    private let order: [Place]

    init(batches: [RowBatch], order: [Place]) {
        self.batches = batches
        self.order = batches.count <= 1 ? [] : order
    }

    package var count: Int { batches.count <= 1 ? batches.first?.count ?? 0 : order.count }

    package func place(_ index: Int) -> Place {
        batches.count <= 1 ? Place(batch: 0, row: Int32(index)) : order[index]
    }

    package subscript(index: Int) -> (batch: RowBatch, row: Int) {
        let place = place(index)
        return (batches[Int(place.batch)], Int(place.row))
    }

    package func key(at index: Int) -> ObjectKey {
        let (batch, row) = self[index]
        return batch.key(at: row)
    }
}
