import Synchronization

extension SegmentLog {
    /// Runs `body` while nobody else, in this process or another, may append. All records that others appended
    /// before are known when it begins. Not to be nested.
    ///
    /// With a copy of a shared log, `body` is run again if another machine was faster. It must have undone what it did
    /// before its first append.
    ///
    /// - Parameter isQueueing: with a copy, `body` begins behind records that this log has queued, although they are
    ///   not appended yet (`LogWriter.enqueue`).
    public func withWriterLock<R>(isQueueing: Bool = false, _ body: (LogWriter) throws -> R) throws -> R {
        try holdingWriterLock(timeout: options.lockTimeout) {
            let deadline = options.lockTimeout.map { SystemClock.deadline(in: $0) }
            var tries = StalledTries()
            while true {
                try catchUp()
                let writer = LogWriter(self, after: try prepareQueue(isQueueing: isQueueing))
                defer { writer.invalidate() }
                do {
                    return try body(writer)
                } catch let error as LogError where error.code == .overtaken && !writer.hasAppended {
                    if let deadline, SystemClock.now() >= deadline { throw error }
                    try tries.failed(at: mark.link, place: upstream?.place ?? directory)
                }
            }
        }
    }

    /// Runs `body` while no other thread of this process appends by this log. It does not wait for other processes, and
    /// those do not wait for it. Not to be nested, and not inside of `withWriterLock`.
    public func withoutLocalWriters<R>(_ body: () throws -> R) rethrows -> R {
        guard writerMutex.lockUnlessHeld() else {
            fatalError("withoutLocalWriters must not be called inside of itself or of withWriterLock")
        }
        defer { writerMutex.unlock() }
        return try body()
    }

    func holdingWriterLock<R>(timeout: Int64?, _ body: () throws -> R) throws -> R {
        try stateLock.withLock { try checkWritable() }
        guard let fileLock else { fatalError("a log for writing has a lock") }
        waitingWriters.add(1, ordering: .relaxed)
        guard writerMutex.lockUnlessHeld() else {
            fatalError("withWriterLock must not be called inside of itself")
        }
        waitingWriters.subtract(1, ordering: .relaxed)
        writingThread.store(SystemCall.thread, ordering: .relaxed)
        defer {
            writingThread.store(0, ordering: .relaxed)
            writerMutex.unlock()
        }
        try Self.acquire(fileLock, directory, timeout: timeout)
        defer { fileLock.release() }
        return try body()
    }

    /// Whether the calling thread is inside of `withWriterLock`.
    public var isWriting: Bool { writingThread.load(ordering: .relaxed) == SystemCall.thread }

    /// Whether other threads wait for the writer's lock of this log. The thread that has it should then sync after it
    /// releases the lock, so that they share its sync or the next one.
    public var isWriterAwaited: Bool { waitingWriters.load(ordering: .relaxed) > 0 }

    /// To be called with the writer's lock held.
    func append(
        _ body: LogRecord.Body, _ header: TransactionHeader, heldSize: Int? = nil
    ) throws -> SequenceNumber {
        if let upstream { return try append(body, header, to: upstream) }
        try refuseDetachedCopy()
        if heldSize ?? body.heldSize > options.heldSizeMax { return try appendLarge(body, header) }
        let record = compressors.with { PreparedRecord(frame(of: body, header, $0), body, header) }
        return try append(record)
    }

    /// To be called without `stateLock`; with the writer's lock held, nobody begins with another dictionary meanwhile.
    func frame(of body: LogRecord.Body, _ header: TransactionHeader, _ compressor: Compressor) -> FrameBuilder {
        let payload = PayloadWriter.payload(body, header)
        return FrameBuilder(
            payload: payload, compressor: compressor, level: options.compressionLevel,
            dictionary: dictionary(for: body, payload.count))
    }

    /// As `append(_:_:)` after `work`, if that does not fail. The bytes of a large record are made meanwhile.
    func append(
        _ body: LogRecord.Body, _ header: TransactionHeader, after work: () throws -> Void
    ) throws -> SequenceNumber {
        let size = body.heldSize
        guard upstream == nil, size >= RecordDraft.worthwhileSize, size <= options.heldSizeMax else {
            try work()
            return try append(body, header, heldSize: size)
        }
        let draft = RecordDraft(body, header, compressors, level: options.compressionLevel)
        let outcome = Result { try work() }
        let frame = draft.finish()
        try outcome.get()
        try refuseDetachedCopy()
        return try append(PreparedRecord(frame, body, header))
    }

    private func append(_ record: PreparedRecord) throws -> SequenceNumber {
        try checkSize(record.frame.rawSize)
        let (marks, failure) = try append([record])
        if let failure { throw failure }
        return marks[0].head
    }

    /// Appends records by one write. Returns the place of each appended record, and the failure if some were not
    /// appended. Call with the writer's lock held.
    ///
    /// The write runs without `stateLock`, so that threads that wait for a sync or read records do not wait for it.
    func append(_ records: [PreparedRecord]) throws -> (marks: [LogMark], failure: LogError?) {
        let size = records.reduce(0) { $0 + $1.frame.bytes.count }
        let (tail, durable, isAlone) = try beginAppend(size)
        var end = tail
        let marks = records.map { record in
            let (header, link) = record.frame.finish(
                kind: FrameKind(record.body), sequence: end.head.next, date: max(record.header.date, end.date),
                durable: durable, previous: end.link, seed: tail.segment.seed)
            end.accept(header, link: link)
            return LogMark(head: end.head, link: link, durable: durable)
        }
        let outcome = Result { () throws(FileError) in
            try Self.joined(records).withBytes { bytes throws(FileError) in
                try tail.segment.file.write(bytes, at: tail.offset)
            }
        }
        // The disk writes while the save completes. Where others write too, the next sync covers their records as well.
        if isAlone { tail.segment.file.startWriting(size, at: tail.offset) }
        stateLock.lock()
        defer { stateLock.unlock() }
        isAppending = false
        if case .failure(let error) = outcome {
            let error = LogError(error)
            // Of several frames, other processes may have read the whole ones: those stay.
            if error.code == .noSpace, records.count > 1 { _ = try? advance() }
            let failure = failed(error)
            return (marks.filter { $0.head <= self.tail.head }, failure)
        }
        self.tail = end
        for (record, mark) in zip(records, marks) {
            if case .model(let model) = record.body { models[mark.head] = model }
        }
        return (marks, nil)
    }

    private static func joined(_ records: [PreparedRecord]) -> [UInt8] {
        if records.count == 1 { return records[0].frame.bytes }
        return Array(records.map(\.frame.bytes).joined())
    }

    /// Reserves space for a frame. Returns its place, the last durable record, and whether no other thread shares its
    /// sync.
    private func beginAppend(
        _ frameSize: Int
    ) throws(LogError) -> (tail: LogTail, durable: SequenceNumber, isAlone: Bool) {
        stateLock.lock()
        defer { stateLock.unlock() }
        try checkWritable()
        try reserveSpace(for: frameSize)
        isAppending = true
        return (tail, durable, options.durability == .synced && !syncs.isSyncing && !isWriterAwaited)
    }

    func checkSize(_ payloadSize: Int) throws(LogError) {
        guard payloadSize > Format.payloadSizeMax else { return }
        throw LogError(
            .recordTooLarge, "The save is too large for one record; save in smaller steps.",
            path: directory, expected: "at most \(Format.payloadSizeMax) bytes", found: "\(payloadSize)")
    }

    /// Nobody rolls to a segment with another dictionary while the writer's lock is held.
    private func dictionary(for body: LogRecord.Body, _ size: Int) -> CompressionDictionary? {
        guard case .changes = body, size <= DictionaryTrainer.payloadSizeMax else { return nil }
        return stateLock.withLock { tail.segment.dictionary }
    }

    /// To be called with `stateLock` and the writer's lock held.
    func write(_ frame: [UInt8]) throws(LogError) {
        do throws(FileError) {
            try frame.withBytes { bytes throws(FileError) in
                try tail.segment.file.write(bytes, at: tail.offset)
            }
        } catch {
            throw failed(LogError(error))
        }
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
        if segmentStarts.last != segment.firstSequence { segmentStarts.append(segment.firstSequence) }
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
