/// Hashes of values as they are stored: one on its way into a column has the hash of the one that is read from it.
///
/// The bytes of an integer are eight. Those of other classes are more, and begin with the class, so that no two values
/// have the same.
extension Hasher {
    /// Combines a number that is stored as an integer.
    package mutating func combine(stored number: Int64) { combine(number) }

    fileprivate mutating func combine(stored number: Double) {
        combine(Int64(StorageClass.real.rawValue))
        // The bits tell -0.0 from 0.0.
        combine(number.bitPattern)
    }

    fileprivate mutating func combine(_ kind: StorageClass, _ bytes: UnsafeRawBufferPointer) {
        combine(Int64(kind.rawValue))
        combine(bytes: bytes)
        // An empty text has more bytes than an integer, too.
        combine(UInt8.max)
    }
}

extension Statement {
    /// Combines a value of the current row; false for null.
    package func hash(_ column: Int32, into hasher: inout Hasher) -> Bool {
        let kind = storageClass(column)
        switch kind {
        case .null: return false
        case .integer: hasher.combine(stored: integer(column))
        case .real: hasher.combine(stored: real(column))
        case .text: hasher.combine(kind, textBytes(column))
        case .blob: hasher.combine(kind, blobBytes(column))
        }
        return true
    }
}

extension ColumnPointer {
    /// Combines the value of one row; false for null.
    package func hash(_ row: Int, into hasher: inout Hasher) -> Bool {
        if isNull(row) { return false }
        switch values {
        case .null: return false
        case .constant(let value): hasher.combine(stored: value)
        case .integers(let values): hasher.combine(stored: values[row])
        case .numbers(let values): hasher.combine(stored: Int64(values[row]))
        case .reals(let values) where values[row].isNaN:
            var text = Self.notANumber
            text.withUTF8 { hasher.combine(.text, UnsafeRawBufferPointer($0)) }
        case .reals(let values): hasher.combine(stored: values[row])
        case .texts(let ends, let bytes): hasher.combine(.text, Self.run(row, ends, bytes))
        case .blobs(let ends, let bytes): hasher.combine(.blob, Self.run(row, ends, bytes))
        }
        return true
    }
}
