/// A record to append, and its bytes, as far as they do not depend on its place in the log: number, date and link.
public struct PreparedRecord: Sendable {
    let body: LogRecord.Body
    let header: TransactionHeader
    /// Nil where the append makes the bytes: of a large record, and in a copy of a shared log.
    var frame: FrameBuilder?

    public init(_ body: LogRecord.Body, _ header: TransactionHeader) {
        self.body = body
        self.header = header
    }
}

/// Compressors for threads that prepare records at the same time.
final class CompressorPool: @unchecked Sendable {
    private let stateLock = ConditionLock()
    /// Guarded by `stateLock`.
    private var idle: [Compressor] = []

    func with<R>(_ body: (Compressor) -> R) -> R {
        let compressor = stateLock.withLock { idle.popLast() } ?? Compressor()
        defer { stateLock.withLock { idle.append(compressor) } }
        return body(compressor)
    }
}

extension SegmentLog {
    /// Larger records are encoded by their append.
    private static let preparedSizeMax = 256 << 10

    /// Makes a record's bytes, without any lock.
    public func prepare(_ body: LogRecord.Body, header: TransactionHeader) -> PreparedRecord {
        var record = PreparedRecord(body, header)
        if !isCopy, body.heldSize <= Self.preparedSizeMax { record.frame = frame(of: record) }
        return record
    }

    /// Encodes a record with the dictionary of the last segment.
    func frame(of record: PreparedRecord) -> FrameBuilder {
        let payload = PayloadWriter.payload(record.body, record.header)
        return compressors.with { compressor in
            FrameBuilder(
                payload: payload, compressor: compressor, level: options.compressionLevel,
                dictionary: dictionary(for: record.body, payload.count))
        }
    }

    private func dictionary(for body: LogRecord.Body, _ size: Int) -> CompressionDictionary? {
        guard case .changes = body, size <= DictionaryTrainer.payloadSizeMax else { return nil }
        return stateLock.withLock { tail.segment.dictionary }
    }
}
