internal import FirnLog
internal import FirnSQLite

/// Gathers one result column of a statement into a `Column`.
struct ColumnBuilder: ~Copyable {
    private let type: StorageType
    /// Where the values are in the result.
    private let column: Int32
    /// The column of the concrete entities, for a reference that has one.
    private let entityColumn: Int32?
    private let destination: EntityNumber
    private var integers = NumberBuffer<Int64>()
    private var reals = NumberBuffer<Double>()
    private var bytes: [UInt8] = []
    private var ends: [Int] = []
    private var entities: [EntityNumber] = []
    private var nulls = NullMask()
    private var count = 0

    /// Bytes of the texts or blobs so far.
    var byteCount: Int { bytes.count }

    init(_ source: RowShape.Source) {
        type = source.type
        column = source.column
        entityColumn = source.entityColumn
        destination = source.destination
    }

    /// Takes the value of the current row.
    ///
    /// A null reads as zero or as no bytes, so only such a value is checked for its type. That saves a call for all
    /// others. Reading numbers converts nothing (https://www.sqlite.org/c3ref/column_blob.html).
    mutating func append(_ statement: Statement) {
        switch type {
        case .integer:
            let value = statement.integer(column)
            if value == 0, statement.isNull(column) { nulls.insert(count) }
            integers.append(value)
        case .real:
            let value = statement.real(column)
            reals.append(value == 0 ? special(statement, value) : value)
        case .text:
            let text = statement.textBytes(column)
            if text.isEmpty, statement.isNull(column) { nulls.insert(count) }
            bytes.append(contentsOf: text)
            ends.append(bytes.count)
        case .blob:
            let blob = statement.blobBytes(column)
            if blob.isEmpty, statement.isNull(column) { nulls.insert(count) }
            bytes.append(contentsOf: blob)
            ends.append(bytes.count)
        case .reference: appendReference(statement)
        case .none: break
        }
        count += 1
    }

    /// A value that reads as 0.0: zero itself, null, or the text for NaN.
    private mutating func special(_ statement: Statement, _ value: Double) -> Double {
        switch statement.storageClass(column) {
        case .null:
            nulls.insert(count)
            return 0
        case .text: return .nan
        case .integer, .real, .blob: return value
        }
    }

    private mutating func appendReference(_ statement: Statement) {
        let key = statement.integer(column)
        integers.append(key)
        if key == 0, statement.isNull(column) {
            nulls.insert(count)
            entities.append(EntityNumber(0))
        } else if let entityColumn {
            entities.append(EntityNumber(stored: statement.integer(entityColumn)))
        } else {
            entities.append(destination)
        }
    }

    consuming func finish() -> Column {
        if let only = integers.only, case .integer = type { return Column(only: .integer(only), nulls: nulls) }
        if let only = reals.only { return Column(only: .real(only), nulls: nulls) }
        let values: Column.Values =
            switch type {
            case .none: .touched(count: count)
            case .integer: .integers(integers.array)
            case .real: .reals(reals.array)
            case .text: .texts(ByteRuns(ends: ends, bytes: bytes))
            case .blob: .blobs(ByteRuns(ends: ends, bytes: bytes))
            case .reference: .references(primaryKeys: integers.array, entities: entities)
            }
        return Column(values: values, nulls: nulls)
    }
}

/// Numbers that are appended one by one. An array would check for each whether it is shared.
struct NumberBuffer<Number: BitwiseCopyable>: ~Copyable {
    /// Nil for at most one number, since most reads are of one row.
    private var start: UnsafeMutablePointer<Number>?
    private var first: Number?
    private var capacity = 0
    private(set) var count = 0

    deinit { start?.deallocate() }

    @inline(__always)
    mutating func append(_ number: Number) {
        if count < capacity {
            start.unsafelyUnwrapped[count] = number
            count += 1
        } else {
            appendGrowing(number)
        }
    }

    @inline(never)
    private mutating func appendGrowing(_ number: Number) {
        if count == 0 {
            first = number
        } else {
            capacity = max(2 * capacity, 16)
            let larger = UnsafeMutablePointer<Number>.allocate(capacity: capacity)
            if let start {
                larger.update(from: start, count: count)
                start.deallocate()
            } else if let first {
                larger[0] = first
            }
            larger[count] = number
            start = larger
        }
        count += 1
    }

    /// The number, where there is no other.
    var only: Number? { count == 1 ? first : nil }

    var array: [Number] {
        if let only { return [only] }
        return Array(UnsafeBufferPointer(start: start, count: count))
    }
}
