import FirnLog
import FirnModel
public import Foundation

/// The row that a batch insert is making: values go straight into the columns of the change set.
///
/// A property that is not set has its default. Setting an unknown property, one of another type, or one twice, fails
/// the request.
public struct BatchRow: ~Copyable {
    private var rows: BatchRows
    /// The first mistake; the request fails with it.
    private(set) var failure: (any Error)?
    /// The columns in the order in which the last row set them: the next row most likely does the same.
    private var expected: [Expected] = []
    private var setCount = 0
    /// Rows that are not in the columns yet, where all rows set whole numbers only, in one order.
    private var block: NumberBlock?
    /// Whether this row goes into `block`.
    private var goesIntoBlock = false

    private struct Expected {
        let key: String
        let column: Int
        /// The least number that fits an attribute of whole numbers; nothing fits others.
        let least: Int64
        let greatest: Int64

        init(_ key: String, column: Int, _ type: NSAttributeType?) {
            self.key = key
            self.column = column
            (least, greatest) =
                switch type {
                case .integer64AttributeType: (.min, .max)
                case .integer32AttributeType: (Int64(Int32.min), Int64(Int32.max))
                case .integer16AttributeType: (Int64(Int16.min), Int64(Int16.max))
                default: (1, 0)
                }
        }

        var isInteger: Bool { least <= greatest }

        @inline(__always)
        func fits(_ value: Int64) -> Bool { value >= least && value <= greatest }
    }

    init(_ rows: BatchRows) { self.rows = rows }

    mutating func begin() {
        setCount = 0
        goesIntoBlock = block != nil
    }

    /// None was set twice: a row with as many values as there are columns has all.
    mutating func end() {
        if goesIntoBlock, setCount == expected.count {
            block?.rowCount += 1
            if block?.isFull == true { emptyBlock() }
            return
        }
        leaveBlock()
        guard setCount == rows.columns.count else { return rows.endRow() }
        rows.endFullRow()
        if block == nil, !rows.keepsGiven, setCount == expected.count, expected.allSatisfy(\.isInteger) {
            block = NumberBlock(columnCount: setCount)
        }
    }

    /// All rows.
    consuming func finish() -> BatchRows {
        emptyBlock()
        return rows
    }

    /// Moves what is in the block into the columns.
    private mutating func emptyBlock() {
        guard let block, block.rowCount > 0 else { return }
        for (index, expected) in expected.enumerated() {
            block.append(index, to: &rows.columns[expected.column])
        }
        rows.endFullRows(block.rowCount)
        self.block?.rowCount = 0
    }

    /// Moves this row's values into the columns, too: it is another one than those before.
    private mutating func leaveBlock() {
        guard goesIntoBlock else { return }
        goesIntoBlock = false
        guard let block else { return }
        let row = block.rowCount
        emptyBlock()
        for index in 0..<setCount { rows.columns[expected[index].column].append(block.value(index, in: row)) }
        self.block = nil
    }

    /// Sets a property of the row; nil is no value.
    public mutating func set(_ key: String, _ value: String?) {
        put(key, value, fits: { $0 == .stringAttributeType }) { $0.append($1) }
    }

    // Inlined where it is called, so that the work is done for one type and not by asking what the type can do.
    /// Sets a property of the row; nil is no value.
    @inlinable
    public mutating func set(_ key: String, _ value: (some BinaryInteger)?) {
        guard let value else { return putInteger(key, nil) }
        if let exact = Int64(exactly: value) { putInteger(key, exact) } else { putUnfit(key, value) }
    }

    @usableFromInline
    mutating func putInteger(_ key: String, _ value: Int64?) {
        // Most rows set what the row before did: none of these properties has a value in this one yet.
        if let value, setCount < expected.count, failure == nil, expected[setCount].key == key,
            expected[setCount].fits(value)
        {
            if goesIntoBlock {
                block.unsafelyUnwrapped.set(setCount, value)
            } else {
                rows.columns[expected[setCount].column].append(value)
            }
            setCount += 1
            return
        }
        guard let index = column(key) else { return }
        guard let value else {
            guard rows.info(index).keepsIntegers else { return fail(rows.mismatch(index, value as Any)) }
            return rows.columns[index].appendNull()
        }
        guard expected[setCount - 1].fits(value) else {
            return fail(rows.mismatch(index, value))
        }
        rows.columns[index].append(value)
    }

    /// No attribute has room for the value.
    @usableFromInline
    mutating func putUnfit(_ key: String, _ value: any BinaryInteger) {
        if let index = column(key) { fail(rows.mismatch(index, value)) }
    }

    /// Sets a property of the row; nil is no value.
    public mutating func set(_ key: String, _ value: Double?) {
        put(key, value, fits: { $0 == .doubleAttributeType }) { $0.append($1) }
    }

    /// Sets a property of the row; nil is no value.
    public mutating func set(_ key: String, _ value: Float?) {
        put(key, value.map(Double.init), fits: { $0 == .floatAttributeType || $0 == .doubleAttributeType }) {
            $0.append($1)
        }
    }

    /// Sets a property of the row; nil is no value.
    public mutating func set(_ key: String, _ value: Bool?) {
        put(key, value.map { $0 ? 1 : 0 } as Int64?, fits: { $0 == .booleanAttributeType }) { $0.append($1) }
    }

    /// Sets a property of the row; nil is no value.
    public mutating func set(_ key: String, _ value: Date?) {
        put(key, value?.timeIntervalSinceReferenceDate, fits: { $0 == .dateAttributeType }) { $0.append($1) }
    }

    /// Sets a property of the row; nil is no value.
    public mutating func set(_ key: String, _ value: Data?) {
        put(key, value, fits: { $0 == .binaryDataAttributeType }) { column, data in
            data.withUnsafeBytes { column.append(bytes: $0) }
        }
    }

    /// Sets a property of the row; nil is no value.
    public mutating func set(_ key: String, _ value: UUID?) {
        put(key, value, fits: { $0 == .UUIDAttributeType }) { column, id in
            withUnsafeBytes(of: id.uuid) { column.append(bytes: $0) }
        }
    }

    /// Any other value: decimals, URIs, values of transformable attributes, object IDs for to-one relationships.
    public mutating func set(_ key: String, any value: Any?) {
        guard let index = column(key) else { return }
        do {
            rows.columns[index].append(try rows.values.stored(value, rows.info(index)))
        } catch {
            fail(error)
        }
    }

    private mutating func put<Value>(
        _ key: String, _ value: Value?, fits: (NSAttributeType) -> Bool, append: (inout Column, Value) -> Void
    ) {
        guard let index = column(key) else { return }
        guard let type = rows.info(index).attributeType, fits(type) else {
            return fail(rows.mismatch(index, value as Any))
        }
        guard let value else { return rows.columns[index].appendNull() }
        append(&rows.columns[index], value)
    }

    /// The column of a property that has no value in this row yet.
    private mutating func column(_ key: String) -> Int? {
        guard failure == nil else { return nil }
        leaveBlock()
        let index: Int
        if setCount < expected.count, expected[setCount].key == key {
            index = expected[setCount].column
        } else {
            guard let found = rows.column(named: key) else {
                fail(rows.unknown(key))
                return nil
            }
            index = found
            expected.removeSubrange(min(setCount, expected.count)...)
            expected.append(Expected(key, column: index, rows.info(index).attributeType))
        }
        guard rows.columns[index].count == rows.count else {
            fail(rows.twice(key))
            return nil
        }
        setCount += 1
        return index
    }

    private mutating func fail(_ error: any Error) {
        if failure == nil { failure = error }
    }
}

/// Some rows of whole numbers: a column takes many at once in much less time than one by one.
private final class NumberBlock {
    private static let rowCountMax = 64
    private let numbers: UnsafeMutablePointer<Int64>
    var rowCount = 0

    init(columnCount: Int) { numbers = .allocate(capacity: columnCount * Self.rowCountMax) }

    deinit { numbers.deallocate() }

    var isFull: Bool { rowCount == Self.rowCountMax }

    /// In the row that is being made.
    @inline(__always)
    func set(_ column: Int, _ value: Int64) { numbers[column * Self.rowCountMax + rowCount] = value }

    func value(_ column: Int, in row: Int) -> Int64 { numbers[column * Self.rowCountMax + row] }

    /// The finished rows.
    func append(_ index: Int, to column: inout Column) {
        let start = numbers + index * Self.rowCountMax
        _ = column.appendIntegers(rowCount) { start[$0] }
    }
}
