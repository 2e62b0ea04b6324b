import CCrypto

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

    /// The first 8 bytes, of which the first is the highest.
    var beginning: Int64 { Int64(bitPattern: UInt64(bigEndian: a)) }

    /// 64 hexadecimal digits.
    public var description: String {
        withUnsafeBytes(of: self) { $0.hexadecimal }
    }
}

extension Sequence<UInt8> {
    /// Two digits a byte.
    package var hexadecimal: String { reduce(into: "") { $0 += ($1 < 16 ? "0" : "") + String($1, radix: 16) } }
}

/// CRC-32C (Castagnoli's polynomial, https://www.rfc-editor.org/rfc/rfc3720#appendix-B.4), byte by byte: the log
/// takes it over headers only.
struct Checksum: Hashable {
    private static let table: [UInt32] = (0..<256).map { index in
        var value = UInt32(index)
        for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0x82F6_3B78 : value >> 1 }
        return value
    }

    private var state: UInt32 = 0xFFFF_FFFF

    var value: UInt32 { ~state }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        Self.table.withUnsafeBufferPointer { table in
            var state = state
            for byte in bytes {
                state = state >> 8 ^ table[Int(UInt8(truncatingIfNeeded: state) ^ byte)]
            }
            self.state = state
        }
    }

    func updated(_ bytes: UnsafeRawBufferPointer) -> Checksum {
        var copy = self
        copy.update(bytes)
        return copy
    }
}

/// SHA-256 of bytes that come piece by piece (https://docs.openssl.org/3.0/man3/SHA256_Init/).
///
/// The state is a value of 112 bytes: hashing allocates nothing, and a copy continues on its own. The
/// functions of `EVP_DigestInit`, which OpenSSL 3 recommends, need a context for each digest: for 200 bytes they take
/// half as long again.
package struct RunningDigest {
    /// None of the three functions fails: they only compute.
    private var state = SHA256_CTX()

    package init() { SHA256_Init(&state) }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        SHA256_Update(&state, bytes.baseAddress, bytes.count)
    }

    /// The digest of all bytes so far.
    package var value: ChainValue {
        var state = state
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: ChainValue.size) { digest in
            SHA256_Final(digest.baseAddress, &state)
            return ChainValue(bytes: UnsafeRawBufferPointer(digest))
        }
    }
}
