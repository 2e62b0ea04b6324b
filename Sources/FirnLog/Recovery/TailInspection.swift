/// The bytes in a segment after the last valid frame.
///
/// A crash leaves frames that were not durable yet, torn or in part missing, in any order; all of them may go.
/// But every frame says up to which record everything was durable when it was written. If one is found that says
/// so of the record that is missing here, then that record was whole once: the bytes were damaged since.
struct TailInspection: Hashable {
    /// The end of the last byte that is not zero; nil if there are only zeros.
    var usedEnd: Int64?
    /// A frame that shows that the missing record was durable, and where it begins.
    var witness: Witness?

    struct Witness: Hashable {
        var offset: Int64
        var sequence: SequenceNumber
    }

    private static let chunkSize = 1 << 20

    /// - Parameters:
    ///   - offset: where the frame of `missing` would begin.
    ///   - missing: the record after the last valid one.
    ///   - anyLater: takes every frame of a later record for a witness: how a reader finds its way behind damage.
    init(
        _ segment: Segment, from offset: Int64, missing: SequenceNumber, anyLater: Bool = false
    ) throws(LogError) {
        var buffer = [UInt8](repeating: 0, count: Self.chunkSize)
        var position = offset
        while true {
            let count = try buffer.withMutableBytes { target throws(LogError) in
                try attempt { () throws(FileError) in try segment.file.read(into: target, at: position) }
            }
            buffer.withUnsafeBytes { bytes in
                inspect(
                    .init(rebasing: bytes[..<count]), at: position, missing: missing,
                    anyLater: anyLater, seed: segment.seed)
            }
            if count < buffer.count { return }
            // A header may lie across two chunks.
            position += Int64(count - Format.frameHeaderSize)
        }
    }

    private mutating func inspect(
        _ bytes: UnsafeRawBufferPointer, at position: Int64, missing: SequenceNumber, anyLater: Bool,
        seed: Checksum
    ) {
        if bytes.isZero { return }
        if let last = bytes.lastIndex(where: { $0 != 0 }) {
            usedEnd = max(usedEnd ?? 0, position + Int64(last) + 1)
        }
        var offset = 0
        while witness == nil, offset + Format.frameHeaderSize <= bytes.count {
            // The sequence number is looked at first: it is wrong almost everywhere.
            let sequence: UInt64 = bytes.load(at: offset + Format.FrameOffset.sequence)
            if sequence > missing.rawValue,
                let header = FrameHeader(
                    .init(rebasing: bytes[offset..<offset + Format.frameHeaderSize]), seed: seed),
                anyLater || header.durableThrough >= missing
            {
                witness = Witness(offset: position + Int64(offset), sequence: header.sequence)
            }
            offset += Format.alignment
        }
    }
}
