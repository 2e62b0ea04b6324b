/// The right to append, for as long as the closure of `SegmentLog.withWriterLock` runs.
public final class LogWriter {
    private let log: SegmentLog
    private var isValid = true
    /// Whether a record was appended: then nothing can be taken back any more.
    private(set) var hasAppended = false

    init(_ log: SegmentLog) { self.log = log }

    func invalidate() { isValid = false }

    /// The last record, of this writer or of any other.
    public var head: SequenceNumber { log.head }

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
        precondition(isValid, "append inside the closure of withWriterLock only")
        let sequence = try body(log)
        hasAppended = true
        return sequence
    }
}
