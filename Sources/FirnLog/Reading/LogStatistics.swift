/// The parts of a log, counted.
public struct LogStatistics: Hashable, Sendable {
    public var segmentCount = 0
    /// Bytes of all segments, the room at their ends included.
    public var fileSize: Int64 = 0
    /// Bytes of all frames.
    public var frameSize: Int64 = 0
    /// Bytes of all payloads, as stored.
    public var storedSize: Int64 = 0
    /// Bytes of all payloads, before compression.
    public var rawSize: Int64 = 0
    /// How many records there are of each kind.
    public var recordCounts: [FrameKind: Int] = [:]
    /// Dates of the first and the last record, in microseconds since 1970; nil if there is none.
    public var firstDate: Int64?
    public var lastDate: Int64?

    public var recordCount: Int { recordCounts.values.reduce(0, +) }
}

/// The length of a log, as far as it is known without reading all records.
public struct LogExtent: Hashable, Sendable {
    public var segmentCount = 0
    /// Bytes of all segments, but for the room at the end of the last.
    public var usedSize: Int64 = 0
    /// Dates of the first and the last record, in microseconds since 1970; nil if there is none.
    public var firstDate: Int64?
    public var lastDate: Int64?
}

extension SegmentLog {
    /// How long the log is. Complexity: O(segments), and reads the first record.
    public func extent() throws -> LogExtent {
        try retryingAfterTrim { () throws(LogError) in
            let (starts, tail) = try knownSegments()
            var extent = LogExtent(segmentCount: starts.count, usedSize: tail.offset)
            for start in starts where start != tail.segment.firstSequence {
                extent.usedSize += try fileSize(of: start)
            }
            if starts[0] <= tail.head {
                extent.firstDate = try withFrame(at: starts[0]) { frame, _ throws(LogError) in frame.header.date }
                extent.lastDate = tail.date
            }
            return extent
        }
    }

    /// Counts what is there.
    ///
    /// Complexity: reads the whole log.
    public func statistics() throws -> LogStatistics {
        var statistics = LogStatistics()
        let starts = try retryingAfterTrim { () throws(LogError) in
            let starts = try knownSegments().starts
            statistics.segmentCount = starts.count
            statistics.fileSize = 0
            for start in starts { statistics.fileSize += try fileSize(of: start) }
            return starts
        }
        let reader = try records(after: SequenceNumber(starts[0].rawValue - 1))
        while let frame = try reader.nextFrameInfo() {
            statistics.frameSize += Int64(frame.frameSize)
            statistics.storedSize += Int64(frame.storedSize)
            statistics.rawSize += Int64(frame.rawSize)
            statistics.recordCounts[frame.kind, default: 0] += 1
            statistics.firstDate = statistics.firstDate ?? frame.date
            statistics.lastDate = frame.date
        }
        return statistics
    }

    private func fileSize(of start: SequenceNumber) throws(LogError) -> Int64 {
        let path = directory + "/" + Format.segmentName(start)
        return try attempt { () throws(FileError) in try fileSystem.open(path, .read).size() }
    }
}
