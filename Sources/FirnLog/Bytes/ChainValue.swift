/// A SHA-256 value: the digest of a payload, or the link that chains a frame to all frames before it.
public struct ChainValue: Hashable, Sendable, CustomStringConvertible {
    package static let size = 32

    /// The bytes as they stand in memory and in the file.
    private var a: UInt64 = 0
    private var b: UInt64 = 0
    private var c: UInt64 = 0
    private var d: UInt64 = 0

    /// 32 zeros: what the first frame of a log is chained to.
    public static let zero = ChainValue()

    private init() {}

    /// - Parameter bytes: 32 bytes.
    package init(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.size else {
            fatalError("a chain value is 32 bytes long")
        }
        withUnsafeMutableBytes(of: &self) { $0.copyMemory(from: bytes) }
    }

    /// Reads 64 hexadecimal digits; nil for anything else.
    package init?(description: String) {
        let digits = Array(description.utf8)
        guard digits.count == 2 * Self.size else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16),
                digits[index] != UInt8(ascii: "+")
            else { return nil }
            bytes.append(byte)
        }
        self = bytes.withUnsafeBytes { ChainValue(bytes: $0) }
    }

    /// SHA-256 of some bytes.
    init(digestOf bytes: UnsafeRawBufferPointer) {
        var digest = RunningDigest()
        digest.update(bytes)
        self = digest.value
    }

    /// SHA-256 of a payload as the chain has it: of what it is compressed with, too.
    init(digestOf payload: UnsafeRawBufferPointer, compressedWith dictionary: DictionaryID?) {
        var digest = RunningDigest()
        digest.update(payload)
        if let dictionary { dictionary.bytes.withUnsafeBytes { digest.update($0) } }
        self = digest.value
    }

    func copy(to buffer: UnsafeMutableRawBufferPointer, at offset: Int) {
        withUnsafeBytes(of: self) { bytes in
            UnsafeMutableRawBufferPointer(rebasing: buffer[offset..<offset + Self.size])
                .copyMemory(from: bytes)
        }
    }

    /// 64 hexadecimal digits.
    public var description: String {
        withUnsafeBytes(of: self) { bytes in
            bytes.reduce(into: "") { text, byte in
                text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
    }

    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.a == rhs.a && lhs.b == rhs.b && lhs.c == rhs.c && lhs.d == rhs.d
    }
}
