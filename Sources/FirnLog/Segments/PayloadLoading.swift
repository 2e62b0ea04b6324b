/// A payload that comes out of its file piece by piece, and of which only what it was before compression is held.
final class PayloadLoading {
    private let decompressor: StreamDecompressor?
    private let expectedDigest: ChainValue
    private let rawSize: Int
    private var digest = RunningDigest()
    /// The bytes that are stored as they are.
    private var plain: [UInt8] = []

    /// - Parameter digest: the one that the frame was checked with: the file may have changed since.
    init(_ header: FrameHeader, digest: ChainValue) {
        expectedDigest = digest
        rawSize = Int(header.rawSize)
        decompressor = header.flags.contains(.compressed) ? StreamDecompressor(rawSize: rawSize) : nil
        if decompressor == nil { plain.reserveCapacity(Int(header.storedSize)) }
    }

    func add(_ piece: UnsafeRawBufferPointer) {
        digest.update(piece)
        if let decompressor { decompressor.add(piece) } else { plain.append(contentsOf: piece) }
    }

    func finish() throws(DecodeFailure) -> [UInt8] {
        guard digest.value == expectedDigest else {
            throw DecodeFailure(what: "other bytes than a moment before", offset: 0)
        }
        if let decompressor { return try decompressor.finish() }
        guard plain.count == rawSize else { throw DecodeFailure(what: "\(plain.count) plain bytes", offset: 0) }
        return plain
    }
}
