/// A value of a statement, in the form in which it is sent
/// (https://www.postgresql.org/docs/15/protocol-message-formats.html).
enum PostgresParameter: Sendable {
    case text(String)
    case integer(Int64)
    case bytes([UInt8])
    /// Pieces of an array of bytes, as an array of `bytea`.
    case pieces([Range<Int>], of: [UInt8])
    case integers([Int64])
    case smallIntegers([Int16])

    /// 0 for text, 1 for binary.
    var format: Int32 { if case .text = self { 0 } else { 1 } }

    private enum TypeNumber {
        static let bytea: Int32 = 17
        static let int8: Int32 = 20
        static let int2: Int32 = 21
    }

    /// The value's bytes, added to `target`. Text ends with a zero, which does not count.
    func write(to target: inout [UInt8]) {
        switch self {
        case .text(let text):
            target += text.utf8
            target.append(0)
        case .integer(let value): target.appendNumber(value)
        case .bytes(let bytes): target += bytes
        case .pieces(let ranges, let bytes):
            target.appendArrayHeader(TypeNumber.bytea, count: ranges.count)
            for range in ranges {
                target.appendNumber(Int32(range.count))
                target += bytes[range]
            }
        case .integers(let values):
            target.appendArrayHeader(TypeNumber.int8, count: values.count)
            for value in values {
                target.appendNumber(8 as Int32)
                target.appendNumber(value)
            }
        case .smallIntegers(let values):
            target.appendArrayHeader(TypeNumber.int2, count: values.count)
            for value in values {
                target.appendNumber(2 as Int32)
                target.appendNumber(value)
            }
        }
    }
}

extension [UInt8] {
    /// Adds a number, high byte first.
    fileprivate mutating func appendNumber(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    /// One dimension, no nulls, the first index is 1.
    fileprivate mutating func appendArrayHeader(_ type: Int32, count: Int) {
        appendNumber(1 as Int32)
        appendNumber(0 as Int32)
        appendNumber(type)
        appendNumber(Int32(count))
        appendNumber(1 as Int32)
    }
}
