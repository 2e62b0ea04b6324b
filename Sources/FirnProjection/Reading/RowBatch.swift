package import FirnLog
package import FirnModel

/// Where the numbers of a column without nulls begin; nil for all other columns.
package struct ColumnNumbers {
    package private(set) var integers: UnsafePointer<Int64>?
    package private(set) var reals: UnsafePointer<Double>?

    fileprivate init() {}

    fileprivate var isEmpty: Bool { integers == nil && reals == nil }

    /// Stores a number at `place`, and points to it. `place` must be eight aligned bytes that live as long as the
    /// batch.
    @inline(__always)
    fileprivate mutating func put(_ number: Column.Number, at place: UnsafeMutableRawPointer) {
        switch number {
        case .integer(let value):
            place.storeBytes(of: value, as: Int64.self)
            integers = UnsafePointer(place.assumingMemoryBound(to: Int64.self))
        case .real(let value):
            place.storeBytes(of: value, as: Double.self)
            reals = UnsafePointer(place.assumingMemoryBound(to: Double.self))
        }
    }

    /// Points into a column that the batch retains.
    fileprivate init(_ column: Column) {
        guard column.nulls.words.isEmpty else { return }
        switch column.values {
        case .integers(let values): integers = values.withUnsafeBufferPointer { $0.baseAddress }
        case .reals(let values): reals = values.withUnsafeBufferPointer { $0.baseAddress }
        default: break
        }
    }
}

/// Rows of one entity as they were read, in columns. Immutable; contexts share it as their snapshot.
package final class RowBatch: @unchecked Sendable {
    /// The concrete entity of all rows.
    package let entity: EntityNumber
    package let primaryKeys: [Int64]
    /// Of each row, the sequence number of the change set that last touched it (`Z_OPT`).
    package let versions: [Int64]
    /// By slot. Nil for a property without storage, and for one that was not fetched.
    package let columns: [Column?]
    /// By slot; nil for a batch of few gathered rows. It saves the reference counting that reading a number from
    /// `columns` costs. The numbers are in the buffers of `columns`, which never changes, or, for a single row, in the
    /// same block.
    package let numbers: UnsafePointer<ColumnNumbers>?
    /// By slot, the IDs of objects that the only row leads to and that its store cannot find by their keys: new ones.
    /// Nil for rows of a store. Those of a context have no references to values in files.
    package let identities: [Int: NSManagedObjectID]?

    package init(
        entity: EntityNumber, primaryKeys: [Int64], versions: [Int64], columns: [Column?],
        identities: [Int: NSManagedObjectID]? = nil
    ) {
        self.identities = identities
        self.entity = entity
        self.primaryKeys = primaryKeys
        self.versions = versions
        self.columns = columns
        guard primaryKeys.count >= 16 else {
            numbers = nil
            return
        }
        let numbers = UnsafeMutablePointer<ColumnNumbers>.allocate(capacity: columns.count)
        for (slot, column) in columns.enumerated() {
            (numbers + slot).initialize(to: column.map(ColumnNumbers.init) ?? ColumnNumbers())
        }
        self.numbers = UnsafePointer(numbers)
    }

    /// One row. Its numbers follow the pointers to them in one block.
    package init(entity: EntityNumber, key: Int64, version: Int64, columns: [Column?]) {
        identities = nil
        self.entity = entity
        primaryKeys = [key]
        versions = [version]
        self.columns = columns
        let size = MemoryLayout<ColumnNumbers>.stride
        // Safe: the block has room for one `ColumnNumbers` and one word a column, both of eight-byte alignment, and
        // `deinit` frees it. Allocated as words: an allocation of raw bytes has an alignment parameter and is slower.
        let block = UnsafeMutableRawPointer(
            UnsafeMutablePointer<Int64>.allocate(capacity: columns.count * (size / 8 + 1)))
        let numbers = block.bindMemory(to: ColumnNumbers.self, capacity: columns.count)
        columns.withUnsafeBufferPointer { columns in
            for slot in columns.indices {
                let place = block + columns.count * size + slot * 8
                (numbers + slot).initialize(to: ColumnNumbers())
                columns[slot]?.copyOnlyNumber { numbers[slot].put($0, at: place) }
            }
        }
        self.numbers = UnsafePointer(numbers)
    }

    deinit { numbers?.deallocate() }

    package var count: Int { primaryKeys.count }

    /// Bytes in memory, including buffers that are shared with others. O(columns).
    package var allocatedSize: Int {
        var size = Self.ownSize + primaryKeys.allocatedSize + versions.allocatedSize + columns.allocatedSize
        columns.withUnsafeBufferPointer { columns in
            // The numbers of a single row are in its block.
            for slot in columns.indices where count > 1 || numbers?[slot].isEmpty ?? true {
                size += columns[slot]?.allocatedSize ?? 0
            }
        }
        if numbers != nil { size += columns.count * (MemoryLayout<ColumnNumbers>.stride + 8) + 16 }
        return size
    }

    /// Bytes of the object itself, as the allocator gives them.
    private static let ownSize = 96

    /// A batch of the first rows.
    package func prefix(_ count: Int) -> RowBatch {
        let columns = columns.map { column -> Column? in
            guard let column, column.type != .none else { return column }
            var result = Column(column.type)
            for row in 0..<count { result.append(column[row]) }
            return result
        }
        return RowBatch(
            entity: entity, primaryKeys: Array(primaryKeys.prefix(count)), versions: Array(versions.prefix(count)),
            columns: columns)
    }

    package func key(at row: Int) -> ObjectKey {
        ObjectKey(entity: entity, primaryKey: primaryKeys[row])
    }

    /// Null for a property without a column here.
    package func value(at row: Int, slot: Int) -> PropertyValue { columns[slot]?[row] ?? .null }
}

/// Rows of one entity that are about to be written: all get the number of one record.
package struct RowColumns {
    package let entity: EntityNumber
    package let primaryKeys: [Int64]
    /// By slot, as in `RowBatch`.
    package let columns: [Column?]

    package init(entity: EntityNumber, primaryKeys: [Int64], columns: [Column?]) {
        self.entity = entity
        self.primaryKeys = primaryKeys
        self.columns = columns
    }
}

extension RowBatch {
    /// The rows as a record wrote them.
    package convenience init(_ rows: RowColumns, version: SequenceNumber) {
        let version = Int64(version.rawValue)
        let count = rows.primaryKeys.count
        self.init(
            entity: rows.entity, primaryKeys: rows.primaryKeys,
            versions: count == 1 ? [version] : Array(repeating: version, count: count), columns: rows.columns)
    }
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

    /// Calls `body` with each row, in order, and its index.
    @inline(__always)
    package func forEach(_ body: (_ index: Int, _ batch: RowBatch, _ row: Int) throws -> Void) rethrows {
        if batches.count == 1 {
            let batch = batches[0]
            for row in 0..<batch.count { try body(row, batch, row) }
        } else {
            for (index, place) in order.enumerated() { try body(index, batches[Int(place.batch)], Int(place.row)) }
        }
    }

    package func key(at index: Int) -> ObjectKey {
        let (batch, row) = self[index]
        return batch.key(at: row)
    }

    /// The keys of all rows, in order.
    package var keys: [ObjectKey] {
        var keys: [ObjectKey] = []
        keys.reserveCapacity(count)
        forEach { _, batch, row in keys.append(batch.key(at: row)) }
        return keys
    }
}

extension Column {
    /// Calls `body` with the number of a column of one row, unless it is null.
    @inline(__always)
    fileprivate func copyOnlyNumber(_ body: (Number) -> Void) {
        if nulls.isEmpty, let number = onlyNumber { body(number) }
    }
}
