/// Hashes values as they are stored: one on its way into a column has the hash of the one that is read from it.
///
/// A word takes one multiplication, whose halves are combined, with a secret of the process: a fifth of the time that
/// `Hasher` needs for it, which hashes the bytes of texts. An integer is one word. A value of another class is more,
/// and begins with the class.
package struct StoredValueHasher {
    private var state: UInt64
    private let secret: UInt64

    private static let seeds = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max) | 1)

    package init() { (state, secret) = Self.seeds }

    package mutating func combine(_ word: UInt64) {
        let product = (state ^ word).multipliedFullWidth(by: secret)
        state = product.high ^ product.low
    }

    /// Combines a number that is stored as an integer.
    package mutating func combine(stored number: Int64) { combine(UInt64(bitPattern: number)) }

    /// The hash of what was combined.
    package var value: UInt64 {
        var last = self
        last.combine(0x9e37_79b9_7f4a_7c15)
        return last.state
    }

    fileprivate mutating func combine(stored number: Double) {
        combine(UInt64(StorageClass.real.rawValue))
        // The bits tell -0.0 from 0.0.
        combine(number.bitPattern)
    }

    fileprivate mutating func combine(_ kind: StorageClass, _ bytes: UnsafeRawBufferPointer) {
        combine(UInt64(kind.rawValue))
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        combine(UInt64(truncatingIfNeeded: hasher.finalize()))
    }
}

extension Statement {
    /// Combines a value of the current row; false for null.
    package func hash(_ column: Int32, into hasher: inout StoredValueHasher) -> Bool {
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
    /// The sum of the hashes of all values but nulls, each with its row's key. `column` begins them.
    package func sum(_ keys: [Int64], _ column: StoredValueHasher) -> UInt64 {
        var sum: UInt64 = 0
        for (row, key) in keys.enumerated() {
            var hasher = column
            hasher.combine(stored: key)
            if hash(row, into: &hasher) { sum &+= hasher.value }
        }
        return sum
    }

    /// Combines the value of one row; false for null.
    private func hash(_ row: Int, into hasher: inout StoredValueHasher) -> Bool {
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
