import CZstd

/// Bytes that small payloads have in common with others, so that zstd need not repeat them in each
/// (https://facebook.github.io/zstd/zstd_manual.html#Chapter10).
///
/// It is a file of the log's folder, under its own digest, and never changes. A segment names the one that its payloads
/// may be compressed with.
final class CompressionDictionary: @unchecked Sendable {
    let id: DictionaryID
    let bytes: [UInt8]
    /// zstd's form for decompressing, which never changes.
    let decompressing: OpaquePointer

    init(_ bytes: [UInt8]) {
        id = DictionaryID(of: bytes)
        self.bytes = bytes
        guard let dictionary = bytes.withUnsafeBytes({ ZSTD_createDDict($0.baseAddress, $0.count) }) else {
            fatalError("no memory for zstd")
        }
        decompressing = dictionary
    }

    deinit { ZSTD_freeDDict(decompressing) }
}

/// The dictionary that the payloads of a segment are compressed with: the first 28 bytes of its SHA-256.
struct DictionaryID: Hashable, Sendable, CustomStringConvertible {
    static let size = 28

    let bytes: [UInt8]

    /// - Parameter bytes: 28 bytes.
    init(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.size else {
            fatalError("a dictionary is named by 28 bytes")
        }
        self.bytes = Array(bytes)
    }

    init(of dictionary: [UInt8]) {
        let digest = dictionary.withUnsafeBytes { ChainValue(digestOf: $0) }
        self = withUnsafeBytes(of: digest) { DictionaryID(bytes: .init(rebasing: $0[..<Self.size])) }
    }

    /// 56 hexadecimal digits.
    var description: String { bytes.hexadecimal }
}
