extension SegmentLog {
    /// Makes a record's bytes, without any lock. In a copy of a shared log the append makes them. That is better for a
    /// large record, too: the caller does other work meanwhile.
    public func prepare(_ body: LogRecord.Body, header: TransactionHeader) -> PreparedRecord {
        PreparedRecord(body, header, isCopy ? nil : frame(body, header))
    }

    /// Encodes a record with the dictionary of the last segment.
    func frame(_ body: LogRecord.Body, _ header: TransactionHeader) -> FrameBuilder {
        let payload = PayloadWriter.payload(body, header)
        return compressors.with { compressor in
            FrameBuilder(
                payload: payload, compressor: compressor, level: options.compressionLevel,
                dictionary: dictionary(for: body, payload.count))
        }
    }

    private func dictionary(for body: LogRecord.Body, _ size: Int) -> CompressionDictionary? {
        // Larger ones gain nothing by it.
        guard case .changes = body, size <= 16 << 10 else { return nil }
        return stateLock.withLock { tail.segment.dictionary }
    }

    /// Appends one record; see `append(_:)`.
    ///
    /// - Returns: the number of the record. When an error is thrown, nothing was appended.
    @discardableResult
    public func append(_ body: LogRecord.Body, header: TransactionHeader) throws -> SequenceNumber {
        try append([PreparedRecord(body, header)])[0].get().head
    }

    /// Encodes what is not, and again what is compressed with another dictionary than the last segment's: that segment
    /// began after it was prepared. Nobody begins another one while the writer's lock is held.
    func frames(of records: [PreparedRecord]) throws -> [FrameBuilder] {
        let dictionary = stateLock.withLock { tail.segment.dictionary?.id }
        return try records.map { record in
            var made = record.frame ?? frame(record.body, record.header)
            if made.dictionary != nil, made.dictionary != dictionary { made = frame(record.body, record.header) }
            try checkSize(made.rawSize)
            return made
        }
    }

    /// Reserves space for frames. Returns their place, the last durable record, and whether no other thread shares
    /// their sync.
    func beginAppend(
        _ size: Int
    ) throws(LogError) -> (tail: LogTail, durable: SequenceNumber, isAlone: Bool) {
        stateLock.lock()
        defer { stateLock.unlock() }
        try checkWritable()
        try reserveSpace(for: size)
        isAppending = true
        return (tail, durable, options.durability == .synced && !syncing.isRunning && !writerLock.isAwaited)
    }

    func endAppend(
        _ records: [PreparedRecord], _ marks: [LogMark], _ end: LogTail, _ failure: FileError?
    ) throws(LogError) -> [Result<LogMark, LogError>] {
        stateLock.lock()
        defer { stateLock.unlock() }
        isAppending = false
        guard let failure else {
            tail = end
            for (record, mark) in zip(records, marks) {
                if case .model(let model) = record.body { models[mark.head] = model }
            }
            return marks.map(Result.success)
        }
        let error = LogError(failure)
        // Of several frames, other processes may have read the whole ones: those stay.
        if error.code == .noSpace, records.count > 1 { _ = try? advance() }
        let reason = failed(error)
        guard marks[0].head <= tail.head else { throw reason }
        return marks.map { $0.head <= tail.head ? .success($0) : .failure(reason) }
    }

    func checkSize(_ payloadSize: Int) throws(LogError) {
        guard payloadSize > Format.payloadSizeMax else { return }
        throw LogError(
            .recordTooLarge, "The save is too large for one record; save in smaller steps.",
            path: directory, expected: "at most \(Format.payloadSizeMax) bytes", found: "\(payloadSize)")
    }

    /// Handles a write that failed halfway: removes the partial frame if the disk is full, otherwise poisons the log.
    /// Call with `stateLock` and the writer's lock held.
    func failed(_ failure: LogError) -> LogError {
        guard failure.code == .noSpace, (try? cutTail()) != nil else { return poisoned(by: failure) }
        return failure
    }

    /// Makes the last segment longer if the frame does not fit into it, or rolls. To be called with `stateLock` and the
    /// writer's lock held.
    func reserveSpace(for frameSize: Int) throws(LogError) {
        let end = tail.offset + Int64(frameSize)
        if end <= tail.capacity { return }
        try readCapacity()
        if end <= tail.capacity { return }
        if end <= options.segmentSize { return try extend(for: end) }
        try roll(for: frameSize, dictionary: tail.segment.dictionary)
    }

    /// Makes the last segment's file longer. The next sync makes its size durable, with the frames in it.
    private func extend(for end: Int64) throws(LogError) {
        let file = tail.segment.file
        do throws(FileError) {
            let size = options.fileSize(for: end)
            try file.allocate(size)
            tail.capacity = size
        } catch {
            guard error.reason == .noSpace else { throw LogError(error) }
            // The last bytes of a disk are for records.
            try attempt { () throws(FileError) in try file.allocate(end) }
            tail.capacity = end
        }
    }

    /// Another writer may have made the last segment longer.
    private func readCapacity() throws(LogError) {
        tail.capacity = try attempt { () throws(FileError) in try tail.segment.file.size() }
    }

    /// Continues in a new segment. Call with `stateLock` held. If this is interrupted anywhere, the log is valid:
    ///
    ///     sync the last segment      nothing in a segment that is followed can be lost
    ///     cut its unused end         zeros are never followed by another segment
    ///     make the new one           under another name, then renamed
    ///
    /// - Parameter dictionary: what its payloads may be compressed with; its file is there.
    func roll(for frameSize: Int, dictionary: CompressionDictionary?) throws(LogError) {
        do throws(LogError) {
            try attempt { () throws(FileError) in try tail.segment.file.sync() }
            durable = tail.head
        } catch {
            throw poisoned(by: error)
        }
        try readCapacity()
        if tail.capacity > tail.offset {
            try attempt { () throws(FileError) in
                try tail.segment.file.truncate(tail.offset)
                try tail.segment.file.sync()
            }
            tail.capacity = tail.offset
        }
        let header = SegmentHeader(
            storeID: storeID, firstSequence: tail.head.next, modelSequence: tail.model,
            creationDate: SystemClock.now(), previousDate: tail.date, chain: tail.link,
            dictionary: dictionary?.id)
        let used = max(tail.offset, Int64(Format.segmentHeaderSize + frameSize))
        let size = max(options.fileSize(for: used), Int64(Format.segmentHeaderSize + frameSize))
        if header.firstSequence == tail.segment.firstSequence, dictionary?.id == tail.segment.header.dictionary {
            return try grow(to: size)
        }
        let segment: Segment
        do throws(FileError) {
            segment = try Segment.create(
                header, in: directory, size: size, fileSystem: fileSystem, dictionary: dictionary)
        } catch {
            let failure = LogError(error)
            // It has its name, which may not survive: others may see it, so it cannot be made again.
            let isNew = header.firstSequence != tail.segment.firstSequence
            throw isNew && (try? nextExists()) == false ? failure : poisoned(by: failure)
        }
        if contents.starts.last != segment.firstSequence { contents.starts.append(segment.firstSequence) }
        tail = LogTail(segment, capacity: size)
    }

    /// Makes a segment that has no frame yet large enough for the one that comes.
    private func grow(to size: Int64) throws(LogError) {
        try attempt { () throws(FileError) in
            try tail.segment.file.allocate(size)
            try tail.segment.file.sync()
        }
        tail.capacity = size
    }
}
