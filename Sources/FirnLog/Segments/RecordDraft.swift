#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A record whose bytes are being made on a thread of their own, while the caller does something else.
///
/// Encoding, compressing and hashing a large change set takes about half as long as writing its rows, and the two need
/// nothing of each other.
final class RecordDraft: @unchecked Sendable {
    /// From so many bytes of values on a thread costs little beside the work.
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
        // No thread to be had: it is made when it is asked for.
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
