/// A record whose bytes are made, but for what its place in the log decides: number, date and link.
public final class PreparedRecord: @unchecked Sendable {
    let body: LogRecord.Body
    let header: TransactionHeader
    var frame: FrameBuilder

    init(_ frame: consuming FrameBuilder, _ body: LogRecord.Body, _ header: TransactionHeader) {
        self.frame = frame
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
