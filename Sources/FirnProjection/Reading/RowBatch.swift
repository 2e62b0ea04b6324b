package import FirnLog

/// Rows of one entity as they were read, in columns. Never changed after; contexts share it as their snapshot.
package final class RowBatch: @unchecked Sendable {
    /// The concrete entity of all rows.
    package let entity: EntityNumber
    package let primaryKeys: [Int64]
    /// Of each row, the sequence number of the change set that last touched it (`Z_OPT`).
    package let versions: [Int64]
    /// By slot. Nil for a property without storage, and for one that was not fetched.
    package let columns: [Column?]
    /// By slot, where the numbers of a column without nulls begin; empty for a batch of few rows. `columns`, which
    /// never changes, keeps them: taking a column out of it to look at one number counts references to its array.
    @usableFromInline let integers: [UnsafePointer<Int64>?]
    @usableFromInline let reals: [UnsafePointer<Double>?]

    package init(
        entity: EntityNumber, primaryKeys: [Int64], versions: [Int64], columns: [Column?]
    ) {
        self.entity = entity
        self.primaryKeys = primaryKeys
        self.versions = versions
        self.columns = columns
        let isLong = primaryKeys.count >= 16
        integers = isLong ? columns.map { $0.flatMap(Self.integers) } : []
        reals = isLong ? columns.map { $0.flatMap(Self.reals) } : []
    }

    private static func integers(_ column: Column) -> UnsafePointer<Int64>? {
        guard column.nulls.words.isEmpty, case .integers(let values) = column.values else { return nil }
        return values.withUnsafeBufferPointer { $0.baseAddress }
    }

    private static func reals(_ column: Column) -> UnsafePointer<Double>? {
        guard column.nulls.words.isEmpty, case .reals(let values) = column.values else { return nil }
        return values.withUnsafeBufferPointer { $0.baseAddress }
    }

    /// A number of a column that is read fast; nil for all others, whatever they hold.
    @inlinable @inline(__always)
    package func quickInteger(at row: Int, slot: Int) -> Int64? {
        guard slot < integers.count else { return nil }
        return integers[slot]?[row]
    }

    /// As `quickInteger(at:slot:)`.
    @inlinable @inline(__always)
    package func quickReal(at row: Int, slot: Int) -> Double? {
        guard slot < reals.count else { return nil }
        return reals[slot]?[row]
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
