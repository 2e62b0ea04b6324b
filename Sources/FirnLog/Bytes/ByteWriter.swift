/// Appends numbers and strings to a byte string, in the notation of `Documentation/Format.md`.
struct ByteWriter {
    /// At least this many bytes go to the sink at once, so that a large payload is never in memory whole.
    private static let pieceSize = 1 << 20

    /// Bytes that were written and are not in the sink yet.
    private(set) var bytes: [UInt8] = []
    /// Receives the bytes; nil if all of them stay here.
    private let sink: (any ByteSink)?
    private var flushedCount = 0

    init(_ sink: (any ByteSink)? = nil) { self.sink = sink }

    /// How many bytes were written.
    var count: Int { flushedCount + bytes.count }

    mutating func reserve(_ count: Int) { bytes.reserveCapacity(bytes.count + count) }

    /// Writes the bytes to the sink, if they are many or `isEnd`. Call this after each part.
    mutating func flush(isEnd: Bool = false) {
        guard let sink, isEnd || bytes.count >= Self.pieceSize else { return }
        bytes.withUnsafeBytes { sink.write($0) }
        flushedCount += bytes.count
        bytes.removeAll(keepingCapacity: true)
    }

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

    /// A zigzag for each value, or for each difference to the value before; the first one's is to 0.
    mutating func zigzags(_ values: [Int64], areDifferences: Bool) {
        // No varint is longer.
        let longest = 10
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64 * longest) { block in
            var (previous, end): (Int64, Int) = (0, 0)
            for value in values {
                var rest = Zigzag.encode(areDifferences ? value &- previous : value)
                previous = value
                while rest >= 0x80 {
                    block[end] = UInt8(truncatingIfNeeded: rest) | 0x80
                    rest >>= 7
                    end += 1
                }
                block[end] = UInt8(truncatingIfNeeded: rest)
                end += 1
                if end > block.count - longest {
                    bytes.append(contentsOf: UnsafeMutableBufferPointer(rebasing: block[..<end]))
                    end = 0
                }
            }
            bytes.append(contentsOf: UnsafeMutableBufferPointer(rebasing: block[..<end]))
        }
    }

    /// Eight bytes, the low ones first.
    mutating func word(_ value: UInt64) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func raw(_ source: UnsafeRawBufferPointer) {
        guard let sink, source.count >= Self.pieceSize else { return bytes.append(contentsOf: source) }
        flush(isEnd: true)
        sink.write(source)
        flushedCount += source.count
    }

    /// The number of bytes as a varint, then the bytes.
    mutating func run(_ source: UnsafeRawBufferPointer) {
        varint(source.count)
        raw(source)
    }

    mutating func text(_ text: String) {
        var text = text
        text.withUTF8 { run(UnsafeRawBufferPointer($0)) }
    }
}

/// Receives bytes, one piece after the other.
protocol ByteSink: AnyObject {
    /// The bytes are valid during the call.
    func write(_ bytes: UnsafeRawBufferPointer)
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
