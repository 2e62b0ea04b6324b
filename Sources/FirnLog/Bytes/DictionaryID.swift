/// Which dictionary the payloads of a segment are compressed with: the first 28 bytes of its SHA-256.
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
    var description: String {
        bytes.reduce(into: "") { $0 += ($1 < 16 ? "0" : "") + String($1, radix: 16) }
    }
}
