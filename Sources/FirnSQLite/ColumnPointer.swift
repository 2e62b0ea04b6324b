internal import CSQLite

/// Pointers to one column of values in memory. Valid as long as the values are.
///
/// Passing a value to SQLite counts no references and copies no text or blob. SQLite stores no NaN
/// (https://www.sqlite.org/nulinstr.html). The text "NaN" represents it, which stays a text in a column of reals.
package struct ColumnPointer {
    package enum Values {
        case null
        /// One value for every row.
        case constant(Int64)
        case integers(UnsafeBufferPointer<Int64>)
        case numbers(UnsafeBufferPointer<UInt32>)
        case reals(UnsafeBufferPointer<Double>)
        /// UTF-8 of one value after another, and where each ends.
        case texts(ends: UnsafeBufferPointer<Int>, UnsafeRawBufferPointer)
        case blobs(ends: UnsafeBufferPointer<Int>, UnsafeRawBufferPointer)
    }

    let values: Values
    /// A bit a row, set for rows that are null; rows beyond the end are not.
    private let nulls: UnsafeBufferPointer<UInt64>

    package static let notANumber = "NaN"

    package init(_ values: Values, nulls: UnsafeBufferPointer<UInt64> = .init(start: nil, count: 0)) {
        self.values = values
        self.nulls = nulls
    }

    @inline(__always)
    func isNull(_ row: Int) -> Bool {
        let word = row >> 6
        return word < nulls.count && nulls[word] & (1 << UInt64(row & 63)) != 0
    }

    @inline(__always)
    static func run(
        _ row: Int, _ ends: UnsafeBufferPointer<Int>, _ bytes: UnsafeRawBufferPointer
    ) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[(row == 0 ? 0 : ends[row - 1])..<ends[row]])
    }

    /// Binds the value of one row.
    package func bind(_ row: Int, to statement: Statement, at parameter: Int32) throws {
        if isNull(row) { return try statement.bindNull(at: parameter) }
        switch values {
        case .null: try statement.bindNull(at: parameter)
        case .constant(let value): try statement.bind(value, at: parameter)
        case .integers(let values): try statement.bind(values[row], at: parameter)
        case .numbers(let values): try statement.bind(Int64(values[row]), at: parameter)
        case .reals(let values):
            if values[row].isNaN { return try statement.bind(Self.notANumber, at: parameter) }
            try statement.bind(values[row], at: parameter)
        case .texts(let ends, let bytes):
            try statement.bind(text: Self.run(row, ends, bytes), at: parameter, lifetime: .heldByCaller)
        case .blobs(let ends, let bytes):
            try statement.bind(blob: Self.run(row, ends, bytes), at: parameter, lifetime: .heldByCaller)
        }
    }

    /// Gives the value of one row to SQLite.
    func setResult(_ context: OpaquePointer?, _ row: Int) {
        if isNull(row) { return sqlite3_result_null(context) }
        switch values {
        case .null: sqlite3_result_null(context)
        case .constant(let value): sqlite3_result_int64(context, value)
        case .integers(let values): sqlite3_result_int64(context, values[row])
        case .numbers(let values): sqlite3_result_int64(context, Int64(values[row]))
        case .reals(let values):
            if values[row].isNaN {
                sqlite3_result_text(context, Self.notANumber, -1, transient)
            } else {
                sqlite3_result_double(context, values[row])
            }
        case .texts(let ends, let bytes):
            let text = Self.run(row, ends, bytes)
            let start = (text.baseAddress ?? emptyDataAddress).assumingMemoryBound(to: CChar.self)
            sqlite3_result_text64(context, start, UInt64(text.count), nil, UInt8(SQLITE_UTF8))
        case .blobs(let ends, let bytes):
            let blob = Self.run(row, ends, bytes)
            sqlite3_result_blob64(context, blob.baseAddress ?? emptyDataAddress, UInt64(blob.count), nil)
        }
    }
}
