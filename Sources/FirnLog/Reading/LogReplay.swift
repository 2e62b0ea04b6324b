/// Everything that makes the state of a log: the baseline, if records were cut off, then the records. Not for two
/// threads at once.
public final class LogReplay {
    private let log: SegmentLog
    private var baseline: BaselineReader?
    private var records: LogReader?
    private var start: SequenceNumber

    init(_ log: SegmentLog, after start: SequenceNumber) throws {
        self.log = log
        self.start = start
        let last = log.baseline
        if start < last {
            guard start == .zero else {
                throw LogError(
                    .missing, "The records up to \(last) were cut off; start again with their baseline.",
                    path: log.directory, sequence: start.next, expected: "\(last.next) or later",
                    found: "\(start.next)")
            }
            baseline = try BaselineReader(
                last, in: log.directory, storeID: log.storeID, fileSystem: log.fileSystem)
            self.start = last
        }
    }

    /// The next record, or the next part of the baseline as a record of the number that it stands for; nil if there
    /// is none yet.
    public func next() throws -> LogRecord? {
        if let baseline {
            if let part = try baseline.next() {
                let header = TransactionHeader(
                    date: baseline.header.previousDate, id: TransactionID(high: 0, low: 0))
                return LogRecord(sequence: baseline.sequence, header: header, body: .baseline(part))
            }
            self.baseline = nil
        }
        if records == nil { records = try log.records(after: start) }
        return try records?.next()
    }

    /// The last record that was given.
    public var position: SequenceNumber { baseline == nil ? records?.position ?? start : .zero }
}

extension SegmentLog {
    /// The changes to apply to the state after `position` to have the newest. From zero on, that is a baseline first if
    /// the log was trimmed; from another position before the baseline this throws `missing`.
    public func replay(after position: SequenceNumber = .zero) throws -> LogReplay {
        try stateLock.withLock { try checkOpen() }
        try refreshBeginning()
        return try LogReplay(self, after: position)
    }
}
