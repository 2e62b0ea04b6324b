/// Reads a log's records in order, from any record on, and continues when more were appended. Checks every frame.
/// Not for two threads at once.
public final class LogReader {
    private let log: SegmentLog
    private var cursor: SegmentCursor?
    /// The erasures that the log had met when the cursor's segment was opened.
    private var erasuresMet = 0
    private let decompressor = Decompressor()

    /// The last record that was read, or after which reading begins.
    public private(set) var position: SequenceNumber

    init(_ log: SegmentLog, after position: SequenceNumber) {
        self.log = log
        self.position = position
    }

    /// The next record; nil if there is none yet: it may be asked again later.
    public func next() throws -> LogRecord? {
        guard let (frame, segment) = try nextFrame() else { return nil }
        let record = try decode(frame, in: segment, decompressor)
        position = frame.header.sequence
        return record
    }

    /// Steps over the next record and returns its place; nil if there is none yet.
    public func nextFrameInfo() throws -> FrameInfo? {
        guard let (frame, segment) = try nextFrame() else { return nil }
        position = frame.header.sequence
        return FrameInfo(frame, segment)
    }

    private func nextFrame() throws -> (Frame, Segment)? {
        let expected = position.next
        if expected > log.head, try log.refresh() < expected {
            if let damage = log.stateLock.withLock({ log.damage }) { throw damage }
            return nil
        }
        let erasures = log.erasuresMet
        // What is open may be a segment of before an erasure.
        if cursor?.sequence != expected || erasures != erasuresMet { cursor = try log.cursor(at: expected) }
        erasuresMet = erasures
        guard let found = try readFrame() else {
            // The segment ends here; the record is in another one, or the log is damaged.
            let finished = cursor?.segment
            let start = try log.segmentStart(of: expected)
            guard start == expected, finished?.firstSequence != start else {
                throw LogError(
                    .damaged, "A record is gone.", path: finished?.path, offset: cursor?.offset,
                    sequence: expected, expected: "record \(expected)", found: "nothing")
            }
            return try step(into: start)
        }
        return found
    }

    /// Continues in the next segment, which must be chained to the one before.
    private func step(into start: SequenceNumber) throws -> (Frame, Segment)? {
        let link = cursor?.link
        let next = try log.cursor(at: start)
        if let link, link != next.link {
            throw LogError(
                .damaged, "The segment is not chained to the one before it.", path: next.segment.path,
                offset: Int64(Format.SegmentOffset.chain), sequence: start, expected: "\(link)",
                found: "\(next.link)")
        }
        cursor = next
        return try readFrame()
    }

    private func readFrame() throws(LogError) -> (Frame, Segment)? {
        guard var moved = cursor else { return nil }
        switch try moved.next() {
        case .frame(let frame):
            cursor = moved
            return (frame, moved.segment)
        case .nothing: return nil
        case .invalid(let error): throw error
        }
    }
}

extension SegmentLog {
    /// A reader of the records after `position`. Throws `missing` if records that follow it are not there any more.
    public func records(after position: SequenceNumber) throws -> LogReader {
        try stateLock.withLock {
            try checkOpen()
            guard position.next >= contents.starts[0] else {
                throw LogError(
                    .missing, "The records after \(position) were cut off; start again with the baseline.",
                    path: directory, sequence: position.next, expected: "\(contents.starts[0]) or later",
                    found: "\(position.next)")
            }
        }
        return LogReader(self, after: position)
    }
}

/// Waits for records that anybody appends: any log on the folder, in this process or another.
public final class LogWatcher: Sendable {
    private let log: SegmentLog
    private let watch: any DirectoryWatch

    /// Watches from now on. Takes one of the user's inotify instances until it is gone.
    public init(_ log: SegmentLog) throws {
        self.log = log
        watch = try attempt { () throws(FileError) in try log.fileSystem.watch(log.directory) }
    }

    public func wait(until isNews: (SequenceNumber) -> Bool) throws -> Bool {
        while try !isNews(log.refresh()) {
            let goesOn = try attempt { () throws(FileError) in try watch.wait() }
            if !goesOn { return false }
        }
        return true
    }

    /// Ends the present and every later `wait` that finds nothing. It may be called from any thread.
    public func cancel() { watch.cancel() }
}
