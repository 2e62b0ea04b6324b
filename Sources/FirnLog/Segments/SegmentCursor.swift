/// A frame that holds: its checksum, its place in the sequence and its link are right.
struct Frame {
    var header: FrameHeader
    var offset: Int64
    var payload: StoredPayload
    /// Of a payload that stands for another one.
    var redaction: Redaction?
    /// The digest of the payload that is in the chain.
    var digest: ChainValue
    var link: ChainValue

    var end: Int64 { offset + Int64(header.frameSize) }
}

/// Reads a segment's frames one after the other, and decides which ones are valid.
///
/// A frame at an offset is valid if and only if
/// 1. its header's checksum, begun with the store's identity, holds;
/// 2. its sequence number is the next one;
/// 3. its payload, the zeros after it and its link are within the file, and not larger than the format allows;
/// 4. the bytes that align its payload are zero;
/// 5. its link is the one that the frame before, its payload, number, date and kind make; of a redacted one, the
///    digest of the payload that it stands for, and its own digest is right too.
struct SegmentCursor {
    enum Finding {
        case frame(Frame)
        /// Zeros, or the end of the file.
        case nothing
        /// Something that is no valid frame: damage, a torn write, or one that is under way.
        case invalid(LogError)
    }

    /// A frame that takes more bytes is checked piece by piece, and its payload stays in the file.
    private static let heldSizeMax = LogOptions.heldSizeDefault

    let segment: Segment
    private let window: FrameWindow
    /// Where the next frame begins.
    private(set) var offset: Int64
    /// The number of the current frame.
    private(set) var sequence: SequenceNumber
    /// The link that the current frame is chained to.
    private(set) var link: ChainValue

    /// At the first frame of a segment.
    init(_ segment: Segment) {
        self.init(
            segment, offset: Int64(Format.segmentHeaderSize), sequence: segment.firstSequence,
            link: segment.header.chain)
    }

    init(_ segment: Segment, offset: Int64, sequence: SequenceNumber, link: ChainValue) {
        self.segment = segment
        self.offset = offset
        self.sequence = sequence
        self.link = link
        window = FrameWindow(segment.file)
    }

    /// The next frame; stays where it is if there is none.
    mutating func next() throws(LogError) -> Finding {
        var finding = try look()
        if case .frame = finding {} else {
            // What is in memory may be older than the file.
            window.discard()
            finding = try look()
        }
        if case .frame(let frame) = finding {
            offset = frame.end
            sequence = sequence.next
            link = frame.link
        }
        return finding
    }

    private func look() throws(LogError) -> Finding {
        let start = try window.bytes(at: offset, count: Format.frameHeaderSize)
        if start.isZero { return .nothing }
        guard start.count == Format.frameHeaderSize else {
            return damage("The file ends inside a frame's header.", "32 bytes", "\(start.count)")
        }
        guard let header = FrameHeader(start, seed: segment.seed) else {
            return damage("The checksum of a frame's header does not hold.", "a frame", "other bytes")
        }
        guard header.sequence == sequence else {
            return damage("A frame is not the next one.", "record \(sequence)", "\(header.sequence)")
        }
        guard !header.isTooLarge else {
            return damage(
                "A frame is too large.", "at most \(Format.payloadSizeMax) bytes", "\(header.storedSize)")
        }
        if header.frameSize > Self.heldSizeMax, header.flags.isDisjoint(with: [.redacted, .dictionary]) {
            return try checkPieces(header)
        }
        let bytes = try window.bytes(at: offset, count: header.frameSize)
        guard bytes.count == header.frameSize else { return short(header, bytes.count) }
        return check(header, bytes)
    }

    /// Checks a frame of which only a piece is to be in memory.
    private func checkPieces(_ header: FrameHeader) throws(LogError) -> Finding {
        let payload = FilePayload(
            file: segment.file, offset: offset + Int64(Format.frameHeaderSize), size: Int(header.storedSize))
        var digest = RunningDigest()
        let count = try attempt { () throws(FileError) in try payload.forEachPiece { digest.update($0) } }
        guard count == payload.size else { return short(header, Format.frameHeaderSize + count) }
        let endSize = header.frameSize - Format.frameHeaderSize - payload.size
        let end = try window.bytes(at: offset + Int64(header.frameSize - endSize), count: endSize)
        guard end.count == endSize else { return short(header, header.frameSize - endSize + end.count) }
        return check(header, .inFile(payload), digest.value, ending: end)
    }

    private func short(_ header: FrameHeader, _ count: Int) -> Finding {
        damage("The file ends inside a frame.", "\(header.frameSize) bytes", "\(count)")
    }

    private func check(_ header: FrameHeader, _ bytes: UnsafeRawBufferPointer) -> Finding {
        let payloadEnd = Format.frameHeaderSize + Int(header.storedSize)
        var payload = UnsafeRawBufferPointer(rebasing: bytes[Format.frameHeaderSize..<payloadEnd])
        var redaction: Redaction?
        if header.flags.contains(.redacted) {
            redaction = Redaction(payload)
            guard let redaction else {
                return damage("A redacted payload is too short.", "\(Redaction.size) bytes", "\(payload.count)")
            }
            payload = UnsafeRawBufferPointer(rebasing: payload[Redaction.size...])
            let found = ChainValue(digestOf: payload)
            guard found == redaction.replacement else {
                return damage("A redacted payload is not what was written.", "\(redaction.replacement)", "\(found)")
            }
        }
        let isWithDictionary = header.flags.contains(.dictionary)
        guard !isWithDictionary || segment.dictionary != nil else {
            return damage("A frame needs a dictionary that its segment does not name.", "a dictionary", "none")
        }
        return check(
            header, .held(payload), redaction?.original ?? segment.digest(of: payload, header), redaction,
            ending: UnsafeRawBufferPointer(rebasing: bytes[payloadEnd...]))
    }

    /// - Parameter ending: zeros and the link.
    private func check(
        _ header: FrameHeader, _ payload: StoredPayload, _ digest: ChainValue, _ redaction: Redaction? = nil,
        ending: UnsafeRawBufferPointer
    ) -> Finding {
        let linkStart = ending.count - Format.linkSize
        guard ending[..<linkStart].allSatisfy({ $0 == 0 }) else {
            return damage("The bytes after a frame's payload are not zero.", "zeros", "other bytes")
        }
        let stored = ChainValue(bytes: UnsafeRawBufferPointer(rebasing: ending[linkStart...]))
        let computed = link.link(
            payloadDigest: digest, sequence: header.sequence, date: header.date, kind: header.kind)
        guard stored == computed else {
            return damage("A frame's payload or link is not what was written.", "\(computed)", "\(stored)")
        }
        return .frame(
            Frame(
                header: header, offset: offset, payload: payload, redaction: redaction, digest: digest, link: stored))
    }

    /// The link that the frame here has to have, whatever it has; nil if there is no header to go by.
    func computedLink() throws(LogError) -> ChainValue? {
        let start = try window.bytes(at: offset, count: Format.frameHeaderSize)
        guard start.count == Format.frameHeaderSize,
            let header = FrameHeader(start, seed: segment.seed),
            !header.isTooLarge
        else { return nil }
        let bytes = try window.bytes(at: offset, count: header.frameSize)
        guard bytes.count == header.frameSize else { return nil }
        let payload = UnsafeRawBufferPointer(
            rebasing: bytes[Format.frameHeaderSize..<Format.frameHeaderSize + Int(header.storedSize)])
        let redaction = header.flags.contains(.redacted) ? Redaction(payload) : nil
        return link.link(
            payloadDigest: redaction?.original ?? segment.digest(of: payload, header),
            sequence: header.sequence, date: header.date, kind: header.kind)
    }

    private func damage(_ message: String, _ expected: String, _ found: String) -> Finding {
        .invalid(
            LogError(
                .damaged, message, path: segment.path, offset: offset, sequence: sequence,
                expected: expected, found: found))
    }
}

extension FrameHeader {
    /// Whether the payload is larger than the format allows. What stands before a redacted one does not count.
    fileprivate var isTooLarge: Bool {
        let redactionSize = flags.contains(.redacted) ? Redaction.size : 0
        return rawSize > Format.payloadSizeMax || Int(storedSize) > Format.payloadSizeMax + redactionSize
    }
}
