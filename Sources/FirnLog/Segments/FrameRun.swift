#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Frames that follow each other, byte for byte as they stand in a segment, checked and chained to a known record.
///
///     start ──► frame n + 1 │ frame n + 2 │ … │ frame m ──► end
public struct FrameRun: Sendable {
    /// One frame of the run.
    public struct Frame: Hashable, Sendable {
        let header: FrameHeader
        /// The value that chains the next frame to this one and all before.
        public let link: ChainValue
        /// Where its bytes stand in the run's.
        public let range: Range<Int>

        public var sequence: SequenceNumber { header.sequence }
        public var kind: FrameKind { header.kind }
        /// Microseconds since 1970.
        public var date: Int64 { header.date }
    }

    /// The record that the first frame is chained to.
    public let start: LogCheckpoint
    public let frames: [Frame]
    /// All frames' bytes, one after the other.
    public let bytes: [UInt8]
    /// The dictionary that payloads among them may be compressed with: who keeps the frames has to keep it too. Nil if
    /// none is.
    public var dictionary: [UInt8]? { shared?.bytes }

    let shared: CompressionDictionary?

    /// Of frames that were checked, or have just been made.
    ///
    /// - Parameter dictionary: that of their segment.
    init(
        after start: LogCheckpoint, frames: [Frame], bytes: [UInt8], dictionary: CompressionDictionary? = nil
    ) {
        shared = frames.contains { $0.header.flags.contains(.dictionary) } ? dictionary : nil
        self.start = start
        self.frames = frames
        self.bytes = bytes
    }

    /// Checks the frames in `bytes`, which must be whole: what "valid" means for a segment's frames means it here.
    ///
    /// Throws `damaged` with the byte within the run. Complexity: O(bytes), SHA-256 of each.
    ///
    /// - Parameters:
    ///   - dictionary: that of the run that they were kept of.
    ///   - place: where they come from, for messages.
    public init(
        checking bytes: [UInt8], after start: LogCheckpoint, dictionary: [UInt8]? = nil, place: String
    ) throws(LogError) {
        let dictionary = dictionary.map(CompressionDictionary.init)
        let segment = Segment(bytes, after: start, dictionary: dictionary, place: place)
        var cursor = SegmentCursor(segment, offset: 0, sequence: start.sequence.next, link: start.link)
        var frames: [Frame] = []
        while cursor.offset < Int64(bytes.count) {
            switch try cursor.next() {
            case .frame(let frame):
                let range = Int(frame.offset)..<Int(frame.end)
                frames.append(Frame(header: frame.header, link: frame.link, range: range))
            case .invalid(let error): throw error
            case .nothing:
                throw LogError(
                    .damaged, "There are zeros where a frame should be.", path: place, offset: cursor.offset,
                    sequence: cursor.sequence, expected: "record \(cursor.sequence)", found: "zeros")
            }
        }
        self.init(after: start, frames: frames, bytes: bytes, dictionary: dictionary)
    }

    public var isEmpty: Bool { frames.isEmpty }

    /// The frames up to a record.
    func prefix(through last: SequenceNumber) -> FrameRun {
        let kept = Array(frames.prefix { $0.sequence <= last })
        if kept.count == frames.count { return self }
        return FrameRun(
            after: start, frames: kept, bytes: Array(bytes.prefix(kept.last?.range.upperBound ?? 0)),
            dictionary: shared)
    }

    /// The last record of the run; the one before it if it is empty.
    public var end: LogCheckpoint {
        guard let last = frames.last else { return start }
        return LogCheckpoint(storeID: start.storeID, sequence: last.sequence, date: last.date, link: last.link)
    }
}

extension Segment {
    /// Frames in memory, seen as a segment without the bytes of its header.
    convenience init(
        _ bytes: [UInt8], after start: LogCheckpoint, dictionary: CompressionDictionary?, place: String
    ) {
        let header = SegmentHeader(
            storeID: start.storeID, firstSequence: start.sequence.next, modelSequence: .zero,
            creationDate: 0, previousDate: start.date, chain: start.link,
            dictionary: dictionary?.id)
        self.init(header: header, file: BytesFile(bytes), path: place, dictionary: dictionary)
    }
}

/// Bytes in memory, to be read like a file.
private final class BytesFile: ReadOnlyFile {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileError) -> Int {
        let start = min(max(Int(offset), 0), bytes.count)
        let count = min(buffer.count, bytes.count - start)
        bytes.withUnsafeBytes { source in
            UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[start..<start + count]))
        }
        return count
    }

    func size() throws(FileError) -> Int64 { Int64(bytes.count) }
    var refusal: FileError { FileError("write to it", path: "memory", errno: EROFS) }
}

/// Where a record stands and what it takes, without its contents.
public struct FrameInfo: Hashable, Sendable {
    public var sequence: SequenceNumber
    public var kind: FrameKind
    /// Microseconds since 1970.
    public var date: Int64
    /// The segment's file.
    public var path: String
    /// Where in it the frame begins.
    public var offset: Int64
    /// Bytes of the frame: header, payload, alignment and link.
    public var frameSize: Int
    /// Bytes of the payload in the file.
    public var storedSize: Int
    /// Bytes of the payload before compression.
    public var rawSize: Int
    /// Whether values were taken out of it.
    public var isRedacted: Bool
    /// The value that chains the next frame to this one and all before: two logs with the same link at the same record
    /// are the same up to there.
    public var link: ChainValue

    init(_ frame: Frame, _ segment: Segment) {
        sequence = frame.header.sequence
        kind = frame.header.kind
        date = frame.header.date
        path = segment.path
        offset = frame.offset
        frameSize = frame.header.frameSize
        storedSize = Int(frame.header.storedSize)
        rawSize = Int(frame.header.rawSize)
        isRedacted = frame.redaction != nil
        link = frame.link
    }
}
