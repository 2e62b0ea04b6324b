internal import FirnLog
internal import FirnSQLite

/// Turns the rows of a statement into batches, one for each concrete entity that occurs.
struct RowCollector {
    /// The rows of one entity so far.
    private final class Batch {
        private let entity: EntityNumber
        private let shape: RowShape.Entity
        /// Primary keys and versions. Behind a pointer: the use of a property would be checked for each row.
        private let numbers: UnsafeMutablePointer<NumberBuffer<Int64>>
        /// Moved when they are finished, never copied, since each has half a dozen arrays.
        private let builders: UnsafeMutableBufferPointer<ColumnBuilder>
        private var isFinished = false

        init(_ entity: EntityNumber, _ shape: RowShape.Entity) {
            self.entity = entity
            self.shape = shape
            numbers = .allocate(capacity: 2)
            for index in 0..<2 { (numbers + index).initialize(to: NumberBuffer()) }
            builders = .allocate(capacity: shape.sources.count)
            for (index, source) in shape.sources.enumerated() {
                builders.initializeElement(at: index, to: ColumnBuilder(source))
            }
        }

        deinit {
            if !isFinished { builders.deinitialize() }
            builders.deallocate()
            numbers.deinitialize(count: 2)
            numbers.deallocate()
        }

        var count: Int { numbers[0].count }

        /// Bytes of the texts and blobs so far.
        var byteCount: Int {
            var count = 0
            for index in builders.indices { count += builders[index].byteCount }
            return count
        }

        func append(_ statement: Statement, key: Int64) {
            numbers[0].append(key)
            numbers[1].append(statement.integer(2))
            for index in builders.indices { builders[index].append(statement) }
        }

        /// Must be called at most once: it moves the builders out.
        func finish() -> RowBatch {
            isFinished = true
            var columns = [Column?](repeating: nil, count: shape.slotCount)
            for index in builders.indices {
                columns[shape.sources[index].slot] = builders.moveElement(from: index).finish()
            }
            return RowBatch(
                entity: entity, primaryKeys: numbers[0].array, versions: numbers[1].array, columns: columns)
        }
    }

    private let shape: RowShape
    private var batches: [Batch] = []
    /// By entity number.
    private var batchOfEntity: [Int32]
    /// From the second batch on.
    private var order: [FetchedRows.Place] = []

    init(_ shape: RowShape) {
        self.shape = shape
        batchOfEntity = [Int32](repeating: -1, count: shape.entities.count)
    }

    /// The interval, in rows, at which the byte count is checked, since summing it for each row is slow.
    private static let lookInterval = 64

    /// Reads the rows that `statement` still has, up to `countMax` of them, or a few more than have `byteCountMax`
    /// bytes of texts and blobs: these are counted after each `interval` rows. Returns whether it reached the end.
    @discardableResult
    mutating func collect(
        _ statement: Statement, upTo countMax: Int = .max, bytes byteCountMax: Int = .max,
        every interval: Int = Self.lookInterval, _ monitor: FetchMonitor? = nil
    ) throws -> Bool {
        var last: (entity: Int64, index: Int, batch: Batch)?
        var count = 0
        while count < countMax {
            guard try statement.step() else { return true }
            count += 1
            monitor?.rowRead()
            let entity = statement.integer(1)
            if last?.entity != entity {
                let index = try batch(for: Int(entity))
                last = (entity, index, batches[index])
            }
            guard let last else { continue }
            if batches.count > 1 {
                order.append(FetchedRows.Place(batch: Int32(last.index), row: Int32(last.batch.count)))
            }
            last.batch.append(statement, key: statement.integer(0))
            if count % interval == 0, batches.reduce(0, { $0 + $1.byteCount }) >= byteCountMax { break }
        }
        return false
    }

    private mutating func batch(for entity: Int) throws -> Int {
        let known = try shape.entity(entity)
        if batchOfEntity[entity] >= 0 { return Int(batchOfEntity[entity]) }
        if batches.count == 1 { order = (0..<batches[0].count).map { FetchedRows.Place(batch: 0, row: Int32($0)) } }
        batchOfEntity[entity] = Int32(batches.count)
        batches.append(Batch(EntityNumber(UInt32(entity)), known))
        return batches.count - 1
    }

    consuming func finish() -> FetchedRows {
        FetchedRows(batches: batches.map { $0.finish() }, order: order)
    }
}
