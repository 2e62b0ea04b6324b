import Synchronization

/// Everything that makes the state of a log: the baseline, if records were cut off, then the records. Not for two
/// threads at once.
public final class LogReplay {
    private let log: SegmentLog
    private var baseline: BaselineReader?
    /// The part of the baseline that comes next, so that the last one that is given ends it.
    private var part: BaselinePart?
    private var records: LogReader?
    private var start: SequenceNumber

    init(_ log: SegmentLog, after start: SequenceNumber) throws(LogError) {
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
            part = try baseline?.next()
            self.start = last
        }
    }

    /// The next record, or the next part of the baseline as a record of the number that it stands for; nil if there
    /// is none yet.
    public func next() throws -> LogRecord? {
        if let baseline, let part {
            self.part = try baseline.next()
            return baseline.record(of: part)
        }
        baseline = nil
        if records == nil { records = try log.records(after: start) }
        return try records?.next()
    }

    /// The last record that was given: that of the baseline with its last part.
    public var position: SequenceNumber { part == nil ? records?.position ?? start : .zero }
}

extension SegmentLog {
    /// The changes to apply to the state after `position` to have the newest. From zero on, that is a baseline first if
    /// the log was trimmed; from another position before the baseline this throws `missing`.
    public func replay(after position: SequenceNumber = .zero) throws -> LogReplay {
        try stateLock.withLock { try checkOpen() }
        try refreshBeginning()
        return try retryingAfterTrim { () throws(LogError) in try LogReplay(self, after: position) }
    }
}

extension SegmentLog {
    /// The models of the active baseline, ascending. Cached after the first call.
    func baselineModels() throws(LogError) -> [(SequenceNumber, LogModel)] {
        try retryingAfterTrim { () throws(LogError) in try baselineModels(baseline) }
    }

    private func baselineModels(_ sequence: SequenceNumber) throws(LogError) -> [(SequenceNumber, LogModel)] {
        if sequence == .zero { return [] }
        let count = erasureCount.load(ordering: .relaxed)
        let reader = try BaselineReader(sequence, in: directory, storeID: storeID, fileSystem: fileSystem)
        var found: [(SequenceNumber, LogModel)] = []
        // Models come first.
        while case .model(let sequence, let model)? = try reader.next() { found.append((sequence, model)) }
        stateLock.withLock {
            guard erasureCount.load(ordering: .relaxed) == count else { return }
            for (sequence, model) in found { models[sequence] = model }
        }
        return found
    }

    /// When the last record was written that was cut off, in microseconds since 1970; nil if there is none.
    public var baselineDate: Int64? {
        get throws {
            try retryingAfterTrim { () throws(LogError) in
                let sequence = baseline
                guard sequence > .zero else { return nil }
                return try openBaseline(sequence).header.previousDate
            }
        }
    }

    /// A model whose record was cut off; nil if the record is still there, or never carried one.
    func baselineModel(at sequence: SequenceNumber) throws(LogError) -> LogModel? {
        guard sequence <= baseline else { return nil }
        return try baselineModels().first { $0.0 == sequence }?.1
    }
}
