/// Writes a baseline, part after part: frames like the log's own, chained to the record that they stand for.
final class BaselineWriter {
    private let file: any File
    private let seed: Checksum
    private let level: Int32
    private let compressor = Compressor()
    private let date: Int64
    private var link: ChainValue
    private var offset = Int64(Format.segmentHeaderSize)
    private var count = 0

    /// Begins in an empty file.
    init(_ file: any File, header: SegmentHeader, level: Int32) throws(FileError) {
        self.file = file
        self.level = level
        seed = header.seed
        date = header.previousDate
        link = header.chain
        try file.write(header.encoded(magic: Format.baselineMagic).span.bytes, at: 0)
    }

    func write(_ part: BaselinePart) throws(LogError) {
        try write(part.payload, part.kind)
        count += 1
    }

    /// Ends the baseline and makes it durable.
    func finish() throws(LogError) {
        try write(BaselinePart.endPayload(count: count), .end)
        try attempt { () throws(FileError) in try file.sync() }
    }

    private func write(_ payload: [UInt8], _ kind: FrameKind) throws(LogError) {
        guard payload.count <= Format.payloadSizeMax else {
            throw LogError(
                .recordTooLarge, "A part of the baseline is too large; make it of smaller parts.",
                expected: "at most \(Format.payloadSizeMax) bytes", found: "\(payload.count)")
        }
        var frame = FrameBuilder(payload: payload, compressor: compressor, level: level)
        let number = SequenceNumber(UInt64(count + 1))
        link = frame.finish(
            kind: kind, sequence: number, date: date, durable: .zero, previous: link, seed: seed
        ).link
        let bytes = frame.bytes
        try attempt { () throws(FileError) in
            try file.write(bytes.span.bytes, at: offset)
        }
        offset += Int64(bytes.count)
    }
}

/// Reads a baseline's parts in order. Every frame is checked, and that the end is there.
final class BaselineReader {
    /// The last record that the baseline stands in for.
    let sequence: SequenceNumber
    let header: SegmentHeader
    private var cursor: SegmentCursor
    private let decompressor = Decompressor()
    private var count = 0
    private var isAtEnd = false

    init(
        _ sequence: SequenceNumber, in directory: String, storeID: StoreID, fileSystem: any FileSystem
    ) throws(LogError) {
        self.sequence = sequence
        let segment = try Segment.openBaseline(sequence, in: directory, storeID: storeID, fileSystem: fileSystem)
        header = segment.header
        cursor = SegmentCursor(
            segment, offset: Int64(Format.segmentHeaderSize), sequence: 1, link: segment.header.chain)
    }

    /// A part as a record of the number that the baseline stands for.
    func record(of part: BaselinePart) -> LogRecord {
        let header = TransactionHeader(date: header.previousDate, id: TransactionID(high: 0, low: 0))
        return LogRecord(sequence: sequence, header: header, body: .baseline(part))
    }

    /// The next part; nil after the last.
    func next() throws(LogError) -> BaselinePart? {
        if isAtEnd { return nil }
        let offset = cursor.offset
        switch try cursor.next() {
        case .frame(let frame):
            let part = try read(frame)
            count += 1
            if part == nil { isAtEnd = true }
            return part
        case .invalid(let error): throw error
        case .nothing:
            throw LogError(
                .damaged, "The baseline ends before its last frame; restore it from a backup.",
                path: cursor.segment.path, offset: offset, expected: "a frame", found: "nothing")
        }
    }

    /// Where the reader is, in bytes.
    var offset: Int64 { cursor.offset }

    private func read(_ frame: Frame) throws(LogError) -> BaselinePart? {
        try decompressed(
            frame, in: cursor.segment, decompressor, what: "A frame of the baseline"
        ) { payload throws(DecodeFailure) in
            try BaselinePart.reading(payload, kind: frame.header.kind, count: count)
        }
    }
}
