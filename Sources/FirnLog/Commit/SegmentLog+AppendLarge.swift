extension SegmentLog {
    /// Bytes in the header's place while the payload behind it is being written: recovery after a crash finds no valid
    /// header and cuts the frame off.
    private static let headerToCome = [UInt8](repeating: 0xFF, count: Format.frameHeaderSize)

    /// Appends a record whose encoded form would not fit into memory. Encodes its payload twice: first for its size,
    /// then to write it in pieces:
    ///
    ///     1  what is no header
    ///     2                   │ payload, piece by piece … │ zeros │ link
    ///     3  header
    ///
    /// Without the header the rest is no record. Call with the writer's lock held, so that no other writer moves the
    /// tail.
    func appendLarge(
        _ body: LogRecord.Body, _ header: TransactionHeader
    ) throws(LogError) -> LogMark {
        // Speed matters more than the last percents of size here.
        let level = min(options.compressionLevel, 1)
        let plan = PayloadPlan(body, header, level: level)
        try checkSize(plan.rawSize)
        let tail = try reserveSpaceForLarge(Format.frameSize(storedSize: plan.storedSize))
        do throws(LogError) {
            try put(Self.headerToCome, tail, at: 0)
            let digest = try stream(body, header, plan, level: level, tail)
            let made = FrameHeader(
                kind: FrameKind(body), flags: plan.isCompressed ? .compressed : [], unsynced: 0,
                storedSize: plan.storedSize, rawSize: plan.rawSize, sequence: tail.head.next,
                date: max(header.date, tail.date))
            let link = tail.link.link(
                payloadDigest: digest, sequence: made.sequence, date: made.date, kind: made.kind)
            try put(ending(made, link), tail, at: Format.frameHeaderSize + plan.storedSize)
            return try accept(made, link, body)
        } catch {
            stateLock.lock()
            defer { stateLock.unlock() }
            throw failed(error)
        }
    }

    /// Reserves space for a frame; returns its place.
    private func reserveSpaceForLarge(_ frameSize: Int) throws(LogError) -> LogTail {
        stateLock.lock()
        defer { stateLock.unlock() }
        try checkWritable()
        try reserveSpace(for: frameSize)
        return tail
    }

    /// Writes the payload; returns its digest.
    private func stream(
        _ body: LogRecord.Body, _ header: TransactionHeader, _ plan: PayloadPlan, level: Int32, _ tail: LogTail
    ) throws(LogError) -> ChainValue {
        let compressor = plan.isCompressed ? StreamCompressor(level: level, contentSize: plan.rawSize) : nil
        var offset = tail.offset + Int64(Format.frameHeaderSize)
        let stream = PayloadStream(compressor) { bytes throws(LogError) in
            try attempt { () throws(FileError) in try tail.segment.file.write(bytes.bytes, at: offset) }
            offset += Int64(bytes.count)
        }
        PayloadWriter.write(body, header, to: stream)
        try stream.finish()
        guard stream.rawSize == plan.rawSize && stream.storedSize == plan.storedSize else {
            fatalError("a payload that is made twice is the same twice")
        }
        return stream.digest.value
    }

    /// The zeros that align the payload, and the link.
    private func ending(_ header: FrameHeader, _ link: ChainValue) -> [UInt8] {
        var bytes = [UInt8](
            repeating: 0, count: header.frameSize - Format.frameHeaderSize - Int(header.storedSize))
        bytes.withUnsafeMutableBytes { link.copy(to: $0, at: $0.count - Format.linkSize) }
        return bytes
    }

    private func put(_ bytes: [UInt8], _ tail: LogTail, at offset: Int) throws(LogError) {
        try attempt { () throws(FileError) in
            try tail.segment.file.write(bytes.span.bytes, at: tail.offset + Int64(offset))
        }
    }

    /// Writes the header, with `stateLock` held: a reader in this process sees the whole record or none of it.
    private func accept(
        _ made: FrameHeader, _ link: ChainValue, _ body: LogRecord.Body
    ) throws(LogError) -> LogMark {
        stateLock.lock()
        defer { stateLock.unlock() }
        try checkWritable()
        var made = made
        made.unsynced = FrameHeader.unsynced(before: made.sequence, durable: durable)
        var bytes = [UInt8](repeating: 0, count: Format.frameHeaderSize)
        bytes.withUnsafeMutableBytes { made.encode(to: $0, seed: tail.segment.seed) }
        try put(bytes, tail, at: 0)
        tail.accept(made, link: link)
        if case .model(let model) = body { models[tail.head] = model }
        return LogMark(head: tail.head, link: link, durable: durable)
    }
}
