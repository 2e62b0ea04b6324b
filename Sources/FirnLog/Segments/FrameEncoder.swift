/// Makes frames of records, for a log that is appended to optimistically. Not for two threads at once.
public final class FrameEncoder {
    private let compressor = Compressor()
    private let level: Int32

    /// - Parameter compressionLevel: zstd's level, as in `LogOptions`.
    public init(compressionLevel: Int32 = LogOptions().compressionLevel) { level = compressionLevel }

    /// The records as frames that are chained to `start`. A record's date is its header's, or that of the record before
    /// if that is later: dates never go back.
    ///
    /// Throws `recordTooLarge`.
    public func run(
        _ records: [(body: LogRecord.Body, header: TransactionHeader)], after start: LogCheckpoint
    ) throws -> FrameRun {
        let seed = SegmentHeader.seed(start.storeID)
        var bytes: [UInt8] = []
        var frames: [FrameRun.Frame] = []
        var (sequence, date, link) = (start.sequence, start.date, start.link)
        for record in records {
            let payload = PayloadWriter.payload(record.body, record.header)
            guard payload.count <= Format.payloadSizeMax else {
                throw LogError(
                    .recordTooLarge, "The save is too large for one record; save in smaller steps.",
                    expected: "at most \(Format.payloadSizeMax) bytes", found: "\(payload.count)")
            }
            var builder = FrameBuilder(payload: payload, compressor: compressor, level: level)
            date = max(record.header.date, date)
            // The log that appends the frame knows what is durable, and writes that into the header.
            let made = builder.finish(
                kind: FrameKind(record.body), sequence: sequence.next, date: date, durable: sequence,
                previous: link, seed: seed)
            (sequence, link) = (sequence.next, made.link)
            let start = bytes.count
            bytes += builder.bytes
            frames.append(FrameRun.Frame(header: made.header, link: link, range: start..<bytes.count))
        }
        return FrameRun(after: start, frames: frames, bytes: bytes)
    }
}

/// Reads the records in frames. Not for two threads at once.
public final class FrameDecoder {
    private let decompressor = Decompressor()

    public init() {}

    /// Every record of the run. Throws `damaged` where one means nothing, `unsupportedVersion` where a newer version
    /// wrote it.
    ///
    /// - Parameter place: where the run comes from, for messages.
    public func records(_ run: FrameRun, place: String) throws -> [LogRecord] {
        let segment = Segment(run.bytes, after: run.start, dictionary: run.shared, place: place)
        return try run.frames.map { try record($0, run, segment) }
    }

    /// One record of the run.
    public func record(_ frame: FrameRun.Frame, of run: FrameRun, place: String) throws -> LogRecord {
        try record(frame, run, Segment(run.bytes, after: run.start, dictionary: run.shared, place: place))
    }

    private func record(
        _ frame: FrameRun.Frame, _ run: FrameRun, _ segment: Segment
    ) throws(LogError) -> LogRecord {
        try run.bytes.withBytes { bytes throws(LogError) in
            let bytes = UnsafeRawBufferPointer(rebasing: bytes[frame.range])
            return try decode(Frame(frame, bytes, segment), in: segment, decompressor)
        }
    }
}

extension Frame {
    /// A checked frame, by its bytes.
    fileprivate init(_ frame: FrameRun.Frame, _ bytes: UnsafeRawBufferPointer, _ segment: Segment) {
        let end = Format.frameHeaderSize + Int(frame.header.storedSize)
        var payload = UnsafeRawBufferPointer(rebasing: bytes[Format.frameHeaderSize..<end])
        var redaction: Redaction?
        if frame.header.flags.contains(.redacted) {
            redaction = Redaction(payload)
            payload = UnsafeRawBufferPointer(rebasing: payload[Redaction.size...])
        }
        self.init(
            header: frame.header, offset: Int64(frame.range.lowerBound), payload: .held(payload),
            redaction: redaction, digest: redaction?.original ?? segment.digest(of: payload, frame.header),
            link: frame.link)
    }
}
