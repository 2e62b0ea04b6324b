/// Frames of a sealed segment in columns, compressed together. A header's checksum and a frame's link are not stored:
/// they follow from the rest.
///
///     block     CRC-32C of what follows (4) │ frames (4) │ size of the columns (4) │ the same, compressed (4)
///               link before the first frame (32) │ link of the last one (32) │ columns, compressed │ transaction IDs
///     columns   kinds │ flags │ unsynced │ stored sizes │ raw sizes │ dates │ payloads without their transaction IDs
///
/// The IDs of plain payloads stand by themselves, as nothing compresses them.
struct PackedBlock {
    static let headSize = 80
    /// zstd's level: 19 makes blocks a tenth smaller, in ten times the time.
    private static let level: Int32 = 9

    /// Facts of the segment that a block does not repeat.
    struct Place {
        var seed: Checksum
        var dictionary: DictionaryID?
        /// The record of the first frame.
        var first: SequenceNumber
    }

    /// The frames as a block; nil if that is not smaller. The frames must be whole and valid.
    static func encode(
        _ frames: UnsafeRawBufferPointer, _ place: Place, from before: ChainValue, to last: ChainValue,
        _ compressor: Compressor
    ) -> [UInt8]? {
        var (kinds, flags, unsynced, sizes) = (ByteWriter(), ByteWriter(), ByteWriter(), ByteWriter())
        var (raws, dates, payloads, ids) = (ByteWriter(), ByteWriter(), ByteWriter(), ByteWriter())
        var (offset, count, date): (Int, Int, Int64) = (0, 0, 0)
        while offset < frames.count {
            let bytes = UnsafeRawBufferPointer(rebasing: frames[offset...])
            guard let header = FrameHeader(bytes, seed: place.seed) else { return nil }
            let size = Int(header.storedSize)
            kinds.byte(header.kind.rawValue)
            flags.byte(header.flags.rawValue)
            unsynced.varint(Int(header.unsynced))
            sizes.varint(size)
            raws.zigzag(Int64(header.rawSize) - Int64(size))
            dates.zigzag(header.date &- date)
            let id = idRange(header.flags, size)
            let payload = UnsafeRawBufferPointer(
                rebasing: bytes[Format.frameHeaderSize..<Format.frameHeaderSize + size])
            payloads.raw(.init(rebasing: payload[..<id.lowerBound]))
            ids.raw(.init(rebasing: payload[id]))
            payloads.raw(.init(rebasing: payload[id.upperBound...]))
            (offset, count, date) = (offset + header.frameSize, count + 1, header.date)
        }
        let columns = [kinds, flags, unsynced, sizes, raws, dates, payloads].flatMap(\.bytes)
        var block = [UInt8](repeating: 0, count: headSize + Compressor.bound(columns.count))
        let isSmaller = block.withUnsafeMutableBytes { block in
            // zstd's magic number falls on the end of the head, which is written over it.
            let target = UnsafeMutableRawBufferPointer(rebasing: block[(headSize - Compressor.magic.count)...])
            let compressed = columns.withUnsafeBytes { compressor.compress($0, into: target, level: level) }
            let size = (compressed ?? 0) - Compressor.magic.count
            guard compressed != nil, headSize + size + ids.count < frames.count else { return false }
            block.store(UInt32(count), at: 4)
            block.store(UInt32(columns.count), at: 8)
            block.store(UInt32(size), at: 12)
            before.copy(to: block, at: 16)
            last.copy(to: block, at: 48)
            return true
        }
        guard isSmaller else { return nil }
        let size: UInt32 = block.withUnsafeBytes { $0.load(at: 12) }
        block.replaceSubrange((headSize + Int(size))..., with: ids.bytes)
        block.withUnsafeMutableBytes { $0.store(checksum(UnsafeRawBufferPointer($0)), at: 0) }
        return block
    }

    /// The frames of a block, byte for byte as they were.
    ///
    /// - Parameter size: of all frames, in bytes.
    static func decode(
        _ block: UnsafeRawBufferPointer, _ place: Place, size: Int, _ decompressor: Decompressor
    ) throws(DecodeFailure) -> [UInt8] {
        guard block.count >= headSize, block.load(at: 0) == checksum(block) else {
            throw DecodeFailure(what: "a checksum that does not hold", offset: 0)
        }
        let count = Int(block.load(at: 4) as UInt32)
        let columnsEnd = headSize + Int(block.load(at: 12) as UInt32)
        guard columnsEnd <= block.count, count * Format.frameSizeMin <= size else {
            throw DecodeFailure(what: "\(count) frames in \(block.count) bytes", offset: 0)
        }
        let columns = try decompressor.decompress(
            .init(rebasing: block[headSize..<columnsEnd]), rawSize: Int(block.load(at: 8) as UInt32))
        var ids = ByteReader(.init(rebasing: block[columnsEnd...]))
        var link = ChainValue(bytes: .init(rebasing: block[16..<48]))
        let frames = try columns.withBytes { columns throws(DecodeFailure) in
            var reader = ByteReader(columns)
            let headers = try headers(count, place, &reader)
            guard headers.reduce(0, { $0 + $1.frameSize }) == size else {
                throw reader.failure("frames of another size than the directory says")
            }
            var frames = [UInt8](repeating: 0, count: size)
            try frames.withMutableBytes { frames throws(DecodeFailure) in
                var offset = 0
                for header in headers {
                    let frame = UnsafeMutableRawBufferPointer(rebasing: frames[offset..<offset + header.frameSize])
                    try fill(frame, header, &reader, &ids)
                    link = link.completed(frame, header, place)
                    offset += header.frameSize
                }
            }
            try reader.expectEnd()
            try ids.expectEnd()
            return frames
        }
        guard link == ChainValue(bytes: .init(rebasing: block[48..<headSize])) else {
            throw DecodeFailure(what: "frames that are not chained to the next block", offset: 0)
        }
        return frames
    }

    private static func headers(
        _ count: Int, _ place: Place, _ reader: inout ByteReader
    ) throws(DecodeFailure) -> [FrameHeader] {
        let kinds = try reader.raw(count)
        let flags = try reader.raw(count)
        var headers: [FrameHeader] = []
        for index in 0..<count {
            headers.append(
                FrameHeader(
                    kind: FrameKind(rawValue: kinds[index]), flags: FrameFlags(rawValue: flags[index]),
                    unsynced: try reader.number("unsynced records"), storedSize: 0, rawSize: 0,
                    sequence: SequenceNumber(place.first.rawValue + UInt64(index)), date: 0))
        }
        for index in headers.indices {
            let size: UInt32 = try reader.number("a payload's size")
            guard size <= Format.payloadSizeMax else { throw reader.failure("a payload of \(size) bytes") }
            headers[index].storedSize = size
        }
        for index in headers.indices {
            guard let size = UInt32(exactly: try reader.zigzag() &+ Int64(headers[index].storedSize)) else {
                throw reader.failure("a payload's size")
            }
            headers[index].rawSize = size
        }
        var date: Int64 = 0
        for index in headers.indices {
            date &+= try reader.zigzag()
            headers[index].date = date
        }
        return headers
    }

    /// Writes a frame's payload; header and link come last.
    private static func fill(
        _ frame: UnsafeMutableRawBufferPointer, _ header: FrameHeader, _ columns: inout ByteReader,
        _ ids: inout ByteReader
    ) throws(DecodeFailure) {
        let size = Int(header.storedSize)
        let id = idRange(header.flags, size)
        var offset = Format.frameHeaderSize
        for piece in [
            try columns.raw(id.lowerBound), try ids.raw(id.count), try columns.raw(size - id.upperBound),
        ] {
            UnsafeMutableRawBufferPointer(rebasing: frame[offset..<offset + piece.count]).copyMemory(from: piece)
            offset += piece.count
        }
    }

    /// Where in a payload its transaction ID stands. Empty if it is compressed, or behind a redacted one's digests.
    private static func idRange(_ flags: FrameFlags, _ size: Int) -> Range<Int> {
        let isPlain = flags.isDisjoint(with: [.compressed, .redacted]) && size >= 17
        return isPlain ? 1..<17 : 0..<0
    }

    private static func checksum(_ block: UnsafeRawBufferPointer) -> UInt32 {
        Checksum().updated(.init(rebasing: block[4...])).value
    }
}

extension ChainValue {
    /// Writes header and link of the frame that follows the one with this link; returns its link.
    fileprivate func completed(
        _ frame: UnsafeMutableRawBufferPointer, _ header: FrameHeader, _ place: PackedBlock.Place
    ) -> ChainValue {
        header.encode(to: frame, seed: place.seed)
        let payload = UnsafeRawBufferPointer(
            rebasing: frame[Format.frameHeaderSize..<Format.frameHeaderSize + Int(header.storedSize)])
        let redaction = header.flags.contains(.redacted) ? Redaction(payload) : nil
        let dictionary = header.flags.contains(.dictionary) ? place.dictionary : nil
        let link = link(
            payloadDigest: redaction?.original ?? ChainValue(digestOf: payload, compressedWith: dictionary),
            sequence: header.sequence, date: header.date, kind: header.kind)
        link.copy(to: frame, at: frame.count - Format.linkSize)
        return link
    }
}
