#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Reads what `ByteWriter` wrote. Whatever the bytes are, the answer is a value or an error: nothing traps,
/// and nothing is allocated that the bytes do not pay for.
///
/// The bytes must stay where they are for as long as the reader is used.
struct ByteReader {
    /// The memory that one payload may ask for: `budgetBase`, and `budgetFactor` times its own size.
    static let budgetBase = 8 << 20
    static let budgetFactor = 128

    let bytes: UnsafeRawBufferPointer
    private(set) var offset = 0
    private var budget: Int

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        budget = Self.budgetBase + Self.budgetFactor * bytes.count
    }

    var left: Int { bytes.count - offset }

    func failure(_ what: String) -> DecodeFailure { DecodeFailure(what: what, offset: offset) }

    /// Counts memory that a few bytes ask for.
    mutating func spend(_ count: Int, times size: Int = 1) throws(DecodeFailure) {
        let (cost, overflow) = count.multipliedReportingOverflow(by: size)
        guard !overflow, cost >= 0, cost <= budget else {
            throw failure("more values than a payload of this size may have")
        }
        budget -= cost
    }

    @inline(__always)
    mutating func byte() throws(DecodeFailure) -> UInt8 {
        guard offset < bytes.count else { throw failure("the end of the payload") }
        offset += 1
        return bytes[offset - 1]
    }

    @inline(__always)
    mutating func varint() throws(DecodeFailure) -> UInt64 {
        let first = try byte()
        return first < 0x80 ? UInt64(first) : try longVarint(first)
    }

    private mutating func longVarint(_ first: UInt8) throws(DecodeFailure) -> UInt64 {
        var value = UInt64(first & 0x7F)
        var shift: UInt64 = 7
        while true {
            let byte = try byte()
            if shift == 63, byte > 1 { throw failure("a number of more than 64 bits") }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
    }

    @inline(__always)
    mutating func zigzag() throws(DecodeFailure) -> Int64 { Zigzag.decode(try varint()) }

    /// A number of things of which each takes at least one byte of what is left.
    mutating func count(of what: StaticString) throws(DecodeFailure) -> Int {
        let value = try varint()
        guard value <= UInt64(left) else { throw failure("\(value) \(what) in \(left) bytes") }
        return Int(value)
    }

    mutating func number<N: FixedWidthInteger>(
        _ what: StaticString, as type: N.Type = N.self
    ) throws(DecodeFailure) -> N {
        let value = try varint()
        guard let number = N(exactly: value) else { throw failure("\(value) as \(what)") }
        return number
    }

    mutating func word() throws(DecodeFailure) -> UInt64 {
        UInt64(littleEndian: try raw(8).loadUnaligned(as: UInt64.self))
    }

    mutating func raw(_ count: Int) throws(DecodeFailure) -> UnsafeRawBufferPointer {
        guard count <= left else { throw failure("\(count) bytes where \(left) are left") }
        offset += count
        return UnsafeRawBufferPointer(rebasing: bytes[offset - count..<offset])
    }

    mutating func run() throws(DecodeFailure) -> UnsafeRawBufferPointer {
        try raw(try count(of: "bytes"))
    }

    mutating func text() throws(DecodeFailure) -> String {
        guard let text = String(validating: try run(), as: UTF8.self) else {
            throw failure("a text that is not UTF-8")
        }
        return text
    }

    func expectEnd() throws(DecodeFailure) {
        if left > 0 { throw failure("\(left) bytes after the end") }
    }
}

/// Bytes that mean nothing in the log's notation.
struct DecodeFailure: Error, Hashable {
    /// The finding, as a phrase.
    var what: String
    /// Where in the payload, after decompression.
    var offset: Int
}

/// Whether two byte strings of one length are the same.
func compareBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard let leftBase = left.baseAddress, let rightBase = right.baseAddress else { return true }
    return memcmp(leftBase, rightBase, min(left.count, right.count)) == 0
}

/// The standard library's closures forget the type of what they throw; these keep it.
extension Array where Element == UInt8 {
    func withBytes<R, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        try withUnsafeBytes { buffer in Result { () throws(E) in try body(buffer) } }.get()
    }

    mutating func withMutableBytes<R, E: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        try withUnsafeMutableBytes { buffer in Result { () throws(E) in try body(buffer) } }.get()
    }
}
