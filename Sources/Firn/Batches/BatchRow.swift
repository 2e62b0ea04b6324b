import FirnLog
import FirnModel
public import Foundation

/// The row that a batch insert is making: values go straight into the columns of the change set.
///
/// A property that is not set has its default. Setting an unknown property, one of another type, or one twice, fails
/// the request.
public struct BatchRow: ~Copyable {
    var rows: BatchRows
    /// The first mistake; the request fails with it.
    private(set) var failure: (any Error)?
    /// The columns in the order in which the last row set them: the next row most likely does the same.
    private var expected: [Expected] = []
    private var setCount = 0

    private struct Expected {
        let key: String
        let column: Int
        /// What fits an attribute of whole numbers; nothing fits others.
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

        @inline(__always)
        func fits(_ value: Int64) -> Bool { value >= least && value <= greatest }
    }

    init(_ rows: BatchRows) { self.rows = rows }

    mutating func begin() { setCount = 0 }

    /// None was set twice: a row with as many values as there are columns has all.
    mutating func end() {
        if setCount == rows.columns.count { rows.endFullRow() } else { rows.endRow() }
    }

    public mutating func set(_ key: String, _ value: String?) {
        put(key, value, fits: { $0 == .stringAttributeType }) { $0.append($1) }
    }

    // Inlined where it is called, so that the work is done for one type and not by asking what the type can do.
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
            rows.columns[expected[setCount].column].append(value)
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

    public mutating func set(_ key: String, _ value: Double?) {
        put(key, value, fits: { $0 == .doubleAttributeType }) { $0.append($1) }
    }

    public mutating func set(_ key: String, _ value: Float?) {
        put(key, value.map(Double.init), fits: { $0 == .floatAttributeType || $0 == .doubleAttributeType }) {
            $0.append($1)
        }
    }

    public mutating func set(_ key: String, _ value: Bool?) {
        put(key, value.map { $0 ? 1 : 0 } as Int64?, fits: { $0 == .booleanAttributeType }) { $0.append($1) }
    }

    public mutating func set(_ key: String, _ value: Date?) {
        put(key, value?.timeIntervalSinceReferenceDate, fits: { $0 == .dateAttributeType }) { $0.append($1) }
    }

    public mutating func set(_ key: String, _ value: Data?) {
        put(key, value, fits: { $0 == .binaryDataAttributeType }) { column, data in
            data.withUnsafeBytes { column.append(bytes: $0) }
        }
    }

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
