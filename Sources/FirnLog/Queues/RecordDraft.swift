#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A record that is encoded on a thread of its own, while the caller does something else.
///
/// Encoding, compressing and hashing a large change set takes about half as long as writing its rows, and neither
/// depends on the other.
final class RecordDraft: @unchecked Sendable {
    /// In bytes of values. From this size on, starting a thread costs little compared to encoding.
    static let worthwhileSize = 512 << 10

    private let body: LogRecord.Body
    private let header: TransactionHeader
    private let compressors: CompressorPool
    private let level: Int32
    private var thread = pthread_t()
    private var isRunning = false
    /// Set by the thread before it ends; read after it was joined.
    private var made: FrameBuilder?

    /// Begins.
    init(_ body: LogRecord.Body, _ header: TransactionHeader, _ compressors: CompressorPool, level: Int32) {
        self.body = body
        self.header = header
        self.compressors = compressors
        self.level = level
        let draft = Unmanaged.passRetained(self)
        let status = pthread_create(
            &thread, nil,
            { pointer in
                guard let pointer else { return nil }
                Unmanaged<RecordDraft>.fromOpaque(pointer).takeRetainedValue().make()
                return nil
            }, draft.toOpaque())
        isRunning = status == 0
        // The system has no thread left: `finish` encodes it.
        if !isRunning { draft.release() }
    }

    private func make() {
        let payload = PayloadWriter.payload(body, header)
        made = compressors.with { FrameBuilder(payload: payload, compressor: $0, level: level) }
    }

    /// Waits for the bytes. To be called once.
    func finish() -> FrameBuilder {
        if isRunning { pthread_join(thread, nil) }
        if made == nil { make() }
        guard let made else { fatalError("a draft that was made has a frame") }
        return made
    }
}
