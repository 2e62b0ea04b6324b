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
