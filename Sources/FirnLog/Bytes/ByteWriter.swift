/// Appends numbers and strings to a byte string, in the notation of `Documentation/Format.md`.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    var count: Int { bytes.count }

    mutating func reserve(_ count: Int) { bytes.reserveCapacity(bytes.count + count) }

    mutating func byte(_ value: UInt8) { bytes.append(value) }

    /// Seven bits a byte, the low ones first; the high bit says that more follow.
    mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func varint(_ value: Int) { varint(UInt64(value)) }

    /// A varint of 0, -1, 1, -2 … as 0, 1, 2, 3 …
    mutating func zigzag(_ value: Int64) { varint(Zigzag.encode(value)) }

    /// Eight bytes, the low ones first.
    mutating func word(_ value: UInt64) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func raw(_ source: UnsafeRawBufferPointer) { bytes.append(contentsOf: source) }

    /// The number of bytes as a varint, then the bytes.
    mutating func run(_ source: UnsafeRawBufferPointer) {
        varint(source.count)
        raw(source)
    }

    mutating func text(_ text: String) {
        var text = text
        text.withUTF8 { run(UnsafeRawBufferPointer($0)) }
    }

    /// Drops what was written after the first `count` bytes.
    mutating func cut(to count: Int) { bytes.removeLast(bytes.count - count) }
}

/// Signed numbers as unsigned ones that are small if the signed one is near zero.
enum Zigzag {
    static func encode(_ value: Int64) -> UInt64 { UInt64(bitPattern: value << 1 ^ value >> 63) }

    static func decode(_ value: UInt64) -> Int64 {
        Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    /// How many bytes `ByteWriter.zigzag` takes.
    static func size(_ value: Int64) -> Int {
        let bits = 64 - (encode(value) | 1).leadingZeroBitCount
        return (bits + 6) / 7
    }
}
