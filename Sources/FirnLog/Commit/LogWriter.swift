/// The right to append, for as long as the closure of `SegmentLog.withWriterLock` runs.
public final class LogWriter {
    private let log: SegmentLog
    private var isValid = true
    /// Where the log ends once all that is queued is appended; nil if nothing is.
    private var expected: LogCheckpoint?
    /// Whether a record was appended: then the closure must not be run again.
    private(set) var hasAppended = false

    init(_ log: SegmentLog, after expected: LogCheckpoint?) {
        self.log = log
        self.expected = expected
    }

    func invalidate() { isValid = false }

    /// The last record, of this writer or of any other; of those that are queued too, if it may queue some itself.
    public var head: SequenceNumber { expected?.sequence ?? log.head }

    /// Waits until the queued records are appended here, so that they can be read. Throws `overtaken` if they were not.
    public func flush() throws {
        guard isValid else {
            fatalError("flush inside the closure of withWriterLock only")
        }
        guard let end = expected else { return }
        try log.flushQueue(expecting: end)
        expected = nil
    }

    /// Queues one record for the shared log that this log is a copy of. `SegmentLog.wait(for:)` sends it, together with
    /// others, and is to be called once the closure has returned.
    ///
    /// The record must not name values that are kept outside of it.
    /// - Parameter completion: called once, with the writer's lock held: where the log stands with the record; nil if
    ///   it is not there.
    public func enqueue(
        _ body: LogRecord.Body, header: TransactionHeader, completion: @escaping (LogMark?) -> Void
    ) throws -> QueuedAppend {
        guard isValid else {
            fatalError("enqueue inside the closure of withWriterLock only")
        }
        let append = try log.enqueue(body, header, after: expected, completion: completion)
        expected = append.run.end
        hasAppended = true
        return append
    }

    /// Appends one record. It is not synced: see `SegmentLog.acknowledge(through:)`.
    ///
    /// Its date is the header's, or that of the record before if that is later: dates never go back.
    /// - Returns: the number of the record. When an error is thrown, nothing was appended.
    @discardableResult
    public func append(_ body: LogRecord.Body, header: TransactionHeader) throws -> SequenceNumber {
        try append { log in try log.append(body, header) }
    }

    /// As `append(_:header:)`, once `work` is done; if it throws, nothing is appended.
    ///
    /// The bytes of a large record are made while `work` runs, on another thread.
    @discardableResult
    public func append(
        _ body: LogRecord.Body, header: TransactionHeader, after work: () throws -> Void
    ) throws -> SequenceNumber {
        try append { log in try log.append(body, header, after: work) }
    }

    private func append(_ body: (SegmentLog) throws -> SequenceNumber) throws -> SequenceNumber {
        guard isValid else {
            fatalError("append inside the closure of withWriterLock only")
        }
        try flush()
        let sequence = try body(log)
        hasAppended = true
        return sequence
    }
}
