package import FirnLog
public import Foundation

/// How much history to keep. A transaction stays while it is within every limit that is set.
public struct HistoryRetention: Hashable, Sendable {
    /// Seconds.
    public var ageMax: TimeInterval?
    /// How many transactions to keep; nil for any number.
    public var transactionCountMax: Int?
    /// Bytes that the transactions take in the log. The baseline, which holds the state before them, comes on top.
    public var byteCountMax: Int?
    /// The first record to keep; nil for any.
    package var first: SequenceNumber?

    /// Limits of the history; nil is no limit.
    public init(ageMax: TimeInterval? = nil, transactionCountMax: Int? = nil, byteCountMax: Int? = nil) {
        self.ageMax = ageMax
        self.transactionCountMax = transactionCountMax
        self.byteCountMax = byteCountMax
    }

    /// The last record that a log may do without; the one before the first if it needs all.
    ///
    /// Complexity: reads the headers of the log's records.
    package func lastDispensable(of log: SegmentLog, now: Int64) throws -> SequenceNumber {
        var dispensable = log.baseline
        if let first, first > .zero { dispensable = max(dispensable, SequenceNumber(first.rawValue - 1)) }
        if let ageMax {
            // Dates are whole microseconds; a limit past their range asks for all.
            let age = Int64(exactly: (ageMax * 1e6).rounded()) ?? .max
            let (limit, overflow) = now.subtractingReportingOverflow(age)
            if !overflow { dispensable = max(dispensable, try log.sequence(atOrBefore: limit)) }
        }
        guard transactionCountMax != nil || byteCountMax != nil else { return dispensable }
        var frames: [(sequence: SequenceNumber, size: Int)] = []
        let reader = try log.records(after: log.baseline)
        while let frame = try reader.nextFrameInfo() {
            if frame.kind == .changes { frames.append((frame.sequence, frame.frameSize)) }
        }
        var (count, bytes) = (0, 0)
        for frame in frames.reversed() {
            count += 1
            bytes += frame.size
            if count > transactionCountMax ?? .max || bytes > byteCountMax ?? .max {
                return max(dispensable, frame.sequence)
            }
        }
        return dispensable
    }
}
