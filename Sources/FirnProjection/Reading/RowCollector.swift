internal import FirnLog
internal import FirnSQLite

/// Turns the rows of a statement into batches, one for each concrete entity that occurs.
struct RowCollector {
    private struct Batch {
        var entity: EntityNumber
        var slotCount: Int
        var slots: [Int]
        var primaryKeys: [Int64] = []
        var versions: [Int64] = []
        var builders: [ColumnBuilder]

        mutating func append(_ statement: Statement, key: Int64) {
            primaryKeys.append(key)
            versions.append(statement.integer(2))
            for index in builders.indices { builders[index].append(statement) }
        }

        consuming func finish() -> RowBatch {
            var columns = [Column?](repeating: nil, count: slotCount)
            for (slot, builder) in zip(slots, builders) { columns[slot] = builder.finish() }
            return RowBatch(
                entity: entity, primaryKeys: primaryKeys, versions: versions, columns: columns)
        }
    }

    private let shape: RowShape
    private var batches: [Batch] = []
    /// By entity number.
    private var batchOfEntity: [Int32]
    private var order: [FetchedRows.Place] = []

    init(_ shape: RowShape) {
        self.shape = shape
        batchOfEntity = [Int32](repeating: -1, count: shape.entities.count)
    }

    /// Reads all rows that `statement` still has.
    mutating func collect(_ statement: Statement, _ monitor: FetchMonitor? = nil) throws {
        while try statement.step() {
            monitor?.rowRead()
            let entity = Int(statement.integer(1))
            let batch = try batch(for: entity)
            order.append(
                FetchedRows.Place(
                    batch: Int32(batch), row: Int32(batches[batch].primaryKeys.count)))
            batches[batch].append(statement, key: statement.integer(0))
        }
    }

    private mutating func batch(for entity: Int) throws -> Int {
        guard entity < batchOfEntity.count, let known = shape.entities[entity] else {
            throw ProjectionError(
                .inconsistent,
                "a row has entity \(entity), which the fetched entity does not have below it; rebuild the "
                    + "projection")
        }
        if batchOfEntity[entity] >= 0 { return Int(batchOfEntity[entity]) }
        batchOfEntity[entity] = Int32(batches.count)
        batches.append(
            Batch(
                entity: EntityNumber(UInt32(entity)), slotCount: known.slotCount,
                slots: known.sources.map(\.slot), builders: known.sources.map(ColumnBuilder.init)))
        return batches.count - 1
    }

    consuming func finish() -> FetchedRows {
        FetchedRows(batches: batches.map { $0.finish() }, order: order)
    }
}
