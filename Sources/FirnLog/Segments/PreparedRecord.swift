/// A record to append, and its bytes, as far as they do not depend on its place in the log: number, date and link.
///
/// A class, as it is handed on more often than it has words to copy.
public final class PreparedRecord: Sendable {
    let body: LogRecord.Body
    let header: TransactionHeader
    /// Nil where the append makes the bytes: of a large record, and in a copy of a shared log.
    let frame: FrameBuilder?

    init(_ body: LogRecord.Body, _ header: TransactionHeader, _ frame: FrameBuilder?) {
        self.body = body
        self.header = header
        self.frame = frame
    }

    public convenience init(_ body: LogRecord.Body, _ header: TransactionHeader) { self.init(body, header, nil) }
}

/// Compressors for threads that prepare records at the same time.
final class CompressorPool {
    private let stateLock = ConditionLock()
    /// Guarded by `stateLock`.
    private var idle: [Compressor] = []

    func with<R>(_ body: (Compressor) -> R) -> R {
        let compressor = stateLock.withLock { idle.popLast() } ?? Compressor()
        defer { stateLock.withLock { idle.append(compressor) } }
        return body(compressor)
    }
}
