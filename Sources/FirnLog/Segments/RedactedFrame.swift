/// The payload of a redacted frame, which replaces the original one:
///
///     digest of the payload that was (32) │ digest of what follows (32) │ payload without the values
///
/// The first keeps the chain: the frame's link is what it always was. The second covers the bytes that are here now:
/// the record of the erasure names it.
struct Redaction: Hashable {
    static let size = 2 * ChainValue.size

    var original: ChainValue
    var replacement: ChainValue
}

extension Redaction {
    /// Nil if the bytes are too few.
    init?(_ payload: UnsafeRawBufferPointer) {
        guard payload.count >= Self.size else { return nil }
        original = ChainValue(bytes: .init(rebasing: payload[..<ChainValue.size]))
        replacement = ChainValue(bytes: .init(rebasing: payload[ChainValue.size..<Self.size]))
    }
}

/// A payload that is to stand for another one.
struct ReplacementPayload {
    let stored: [UInt8]
    let rawSize: Int
    let isCompressed: Bool
    let redaction: Redaction

    init(_ raw: [UInt8], for frame: Frame, compressor: Compressor, level: Int32) {
        var target = [UInt8](repeating: 0, count: Compressor.bound(raw.count))
        let size = target.withUnsafeMutableBytes { target in
            raw.withUnsafeBytes { compressor.compress($0, into: target, level: level) }
        }
        stored = size.map { Array(target[Compressor.magic.count..<$0]) } ?? raw
        rawSize = raw.count
        isCompressed = size != nil
        redaction = Redaction(
            original: frame.digest, replacement: stored.withUnsafeBytes { ChainValue(digestOf: $0) })
    }

    /// The frame with this payload, and the same place in the chain.
    func frame(in place: Frame, seed: Checksum) -> [UInt8] {
        var header = place.header
        header.flags = isCompressed ? [.compressed, .redacted] : [.redacted]
        header.storedSize = UInt32(Redaction.size + stored.count)
        header.rawSize = UInt32(rawSize)
        var bytes = [UInt8](repeating: 0, count: header.frameSize)
        bytes.withUnsafeMutableBytes { buffer in
            header.encode(to: buffer, seed: seed)
            let start = Format.frameHeaderSize
            redaction.original.copy(to: buffer, at: start)
            redaction.replacement.copy(to: buffer, at: start + ChainValue.size)
            let payload = start + Redaction.size
            stored.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: buffer[payload..<payload + stored.count]).copyMemory(from: $0)
            }
            place.link.copy(to: buffer, at: buffer.count - Format.linkSize)
        }
        return bytes
    }
}
