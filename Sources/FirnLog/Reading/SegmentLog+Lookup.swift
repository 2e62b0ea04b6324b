import Synchronization

extension SegmentLog {
    /// The record of that number. Throws `missing` if there is none (yet, or any more).
    ///
    /// Complexity: the first question about a segment walks over the headers of its frames.
    public func record(at sequence: SequenceNumber) throws -> LogRecord {
        try withFrame(at: sequence) { frame, segment throws(LogError) in
            try decode(frame, in: segment, lookup.decompressor)
        }
    }

    /// Where the record of that number stands, and its link.
    public func frame(at sequence: SequenceNumber) throws -> FrameInfo {
        try withFrame(at: sequence) { frame, segment throws(LogError) in FrameInfo(frame, segment) }
    }

    /// The model that a record carries. Cached after the first call.
    public func model(at sequence: SequenceNumber) throws -> LogModel {
        let count = erasureCount.load(ordering: .relaxed)
        if let model = stateLock.withLock({ models[sequence] }) { return model }
        if let model = try baselineModel(at: sequence) { return model }
        let record = try record(at: sequence)
        guard case .model(let model) = record.body else {
            throw LogError(
                .missing, "Record \(sequence) carries no model.", path: directory, sequence: sequence)
        }
        stateLock.withLock {
            if erasureCount.load(ordering: .relaxed) == count { models[sequence] = model }
        }
        return model
    }

    /// The record of the last model in the log, as far as it is known here; zero if there is none.
    public var currentModelSequence: SequenceNumber { stateLock.withLock { tail.model } }

    /// The last model in the log, as far as it is known here; nil if there is none.
    public var currentModel: (sequence: SequenceNumber, model: LogModel)? {
        get throws {
            let sequence = currentModelSequence
            return sequence == .zero ? nil : (sequence, try model(at: sequence))
        }
    }

    /// The last record that is not later than a date in microseconds since 1970; the one before the first if
    /// all are.
    public func sequence(atOrBefore date: Int64) throws -> SequenceNumber {
        try retryingAfterTrim { () throws(LogError) in
            let (starts, tail) = try knownSegments()
            lookup.lock.lock()
            defer { lookup.lock.unlock() }
            // Each segment knows the date of the last record before it.
            var (low, high) = (0, starts.count - 1)
            while low < high {
                let middle = (low + high + 1) / 2
                if try index(starts[middle]).segment.header.previousDate <= date {
                    low = middle
                } else {
                    high = middle - 1
                }
            }
            let end = low + 1 < starts.count ? SequenceNumber(starts[low + 1].rawValue - 1) : tail.head
            let before = SequenceNumber(starts[low].rawValue - 1)
            return try index(starts[low]).sequence(atOrBefore: date, last: end) ?? before
        }
    }

    /// The first record of each segment, and where the log ends. To be called without `stateLock`.
    func knownSegments() throws(LogError) -> (starts: [SequenceNumber], tail: LogTail) {
        stateLock.lock()
        defer { stateLock.unlock() }
        try checkOpen()
        return (contents.starts, tail)
    }

    /// The first record of the segment that holds `sequence`. To be called without `stateLock`.
    func segmentStart(of sequence: SequenceNumber) throws(LogError) -> SequenceNumber {
        stateLock.lock()
        defer { stateLock.unlock() }
        try checkOpen()
        guard sequence <= tail.head, let start = contents.starts.last(where: { $0 <= sequence }) else {
            let reason = sequence < contents.starts[0] ? "It was cut off: the log begins later." : "There is none yet."
            throw LogError(
                .missing, "There is no record \(sequence). \(reason)", path: directory, sequence: sequence,
                expected: "\(contents.starts[0]) to \(tail.head)", found: "\(sequence)")
        }
        return start
    }

    /// A cursor at the frame of a record that is there.
    func cursor(at sequence: SequenceNumber) throws(LogError) -> SegmentCursor {
        try withSegment(of: sequence) { start throws(LogError) in try cursor(at: sequence, start) }
    }

    /// Runs `body`; once more if a file is gone: another process may have cut off the log's beginning, and put a new
    /// first segment in its place. To be called without `stateLock`.
    func retryingAfterTrim<R>(_ body: () throws(LogError) -> R) throws(LogError) -> R {
        do throws(LogError) { return try body() } catch {
            guard error.code == .missing else { throw error }
        }
        try refreshBeginning()
        return try body()
    }

    /// Calls `body`, with `lookup.lock` held, with the first record of the segment that holds `sequence`.
    private func withSegment<R>(
        of sequence: SequenceNumber, _ body: (SequenceNumber) throws(LogError) -> R
    ) throws(LogError) -> R {
        try retryingAfterTrim { () throws(LogError) in
            let start = try segmentStart(of: sequence)
            lookup.lock.lock()
            defer { lookup.lock.unlock() }
            return try body(start)
        }
    }

    /// To be called with `lookup.lock` held.
    private func cursor(
        at sequence: SequenceNumber, _ start: SequenceNumber
    ) throws(LogError) -> SegmentCursor {
        let index = try index(start)
        let offset = try index.offset(of: sequence)
        // Right before every frame stand the 32 bytes that it is chained to.
        var link = [UInt8](repeating: 0, count: Format.linkSize)
        let count = try link.withMutableBytes { target throws(LogError) in
            try attempt { () throws(FileError) in
                try index.segment.file.read(into: target, at: offset - Int64(Format.linkSize))
            }
        }
        guard count == link.count else {
            fatalError("an indexed frame has a link before it")
        }
        return SegmentCursor(
            index.segment, offset: offset, sequence: sequence,
            link: link.withUnsafeBytes { ChainValue(bytes: $0) })
    }

    func withFrame<R>(
        at sequence: SequenceNumber, _ body: (Frame, Segment) throws(LogError) -> R
    ) throws(LogError) -> R {
        try withSegment(of: sequence) { start throws(LogError) in
            var cursor = try cursor(at: sequence, start)
            switch try cursor.next() {
            case .frame(let frame): return try body(frame, cursor.segment)
            case .invalid(let error): throw error
            case .nothing:
                throw LogError(
                    .damaged, "A record is gone.", path: cursor.segment.path, offset: cursor.offset,
                    sequence: sequence, expected: "record \(sequence)", found: "nothing")
            }
        }
    }

    /// Whether values were erased after a record. Complexity: O(records after it), of which the headers are read.
    package func hasErasure(after sequence: SequenceNumber) throws -> Bool {
        let reader = try records(after: max(sequence, baseline))
        while let frame = try reader.nextFrameInfo() {
            if frame.kind == .erasure { return true }
        }
        return false
    }

    func openBaseline(_ last: SequenceNumber) throws(LogError) -> Segment {
        try Segment.openBaseline(last, in: directory, storeID: storeID, fileSystem: fileSystem)
    }

    func openSegment(_ first: SequenceNumber, forWriting: Bool = false) throws(LogError) -> Segment {
        try Segment.open(first, in: directory, storeID: storeID, forWriting: forWriting, fileSystem: fileSystem)
    }

    /// To be called with `lookup.lock` held.
    private func index(_ start: SequenceNumber) throws(LogError) -> SegmentIndex {
        try lookup.index(erasureCount: erasureCount.load(ordering: .relaxed), start) { () throws(LogError) in
            try openSegment(start)
        }
    }
}

extension SegmentLog {
    /// Where the log stands, as far as is known here.
    public var mark: LogMark {
        stateLock.withLock { LogMark(head: tail.head, link: tail.link, durable: durable) }
    }

    /// The link of a record, or of the last one that was cut off; nil if it is not in the log (any more). Complexity:
    /// that of `frame(at:)`, but O(1) for the last one.
    public func link(at sequence: SequenceNumber) throws -> ChainValue? {
        let mark = mark
        if sequence == mark.head { return mark.link }
        guard sequence > .zero, sequence >= baseline, sequence < mark.head else { return nil }
        return try sequence == baseline ? openBaseline(sequence).header.chain : frame(at: sequence).link
    }

    /// The position of a record; without a link if the record is not in the log (any more), or cannot be read.
    public func position(of sequence: SequenceNumber) -> LogPosition {
        LogPosition(sequence, link: (try? link(at: sequence))?.beginning)
    }

    /// False for a position of another log of this store, as after a backup was put back: behind the end, or with
    /// another link than the record's. What cannot be compared agrees.
    public func agrees(with position: LogPosition) -> Bool {
        // A copy may be behind its server.
        guard position.sequence <= head else { return isCopy }
        guard let link = position.link, let own = self.position(of: position.sequence).link else { return true }
        return link == own
    }
}
