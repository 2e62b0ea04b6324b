internal import CSQLite

/// SQLite's storage classes, with its numbers (https://www.sqlite.org/c3ref/c_blob.html).
package enum StorageClass: Int32, Sendable {
    case integer = 1
    case real = 2
    case text = 3
    case blob = 4
    case null = 5
}

extension Statement {
    package var columnCount: Int { Int(sqlite3_column_count(handle)) }

    /// The name of a column of the result.
    package func columnName(_ column: Int32) -> String {
        sqlite3_column_name(handle, column).map(String.init(cString:)) ?? ""
    }

    /// Ask before the value is read: reading may convert it.
    package func storageClass(_ column: Int32) -> StorageClass {
        StorageClass(rawValue: sqlite3_column_type(handle, column)) ?? .null
    }

    package func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    package func real(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    /// The UTF-8 of a text, valid until the statement steps or is reset.
    package func textBytes(_ column: Int32) -> UnsafeRawBufferPointer {
        // First the pointer, then the count: the first call may convert the encoding.
        let start = sqlite3_column_text(handle, column)
        return UnsafeRawBufferPointer(
            start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }

    /// The bytes of a blob, valid until the statement steps or is reset.
    package func blobBytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(handle, column)
        return UnsafeRawBufferPointer(
            start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }

    package func text(_ column: Int32) -> String {
        String(decoding: textBytes(column), as: UTF8.self)
    }

    package func blob(_ column: Int32) -> [UInt8] { Array(blobBytes(column)) }

    package func value(_ column: Int32) -> SQLiteValue {
        switch storageClass(column) {
        case .null: .null
        case .integer: .integer(integer(column))
        case .real: .real(real(column))
        case .text: .text(text(column))
        case .blob: .blob(blob(column))
        }
    }
}
