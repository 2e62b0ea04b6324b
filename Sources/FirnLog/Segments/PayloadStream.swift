/// Writes a payload to a file in pieces, so that only one piece is in memory.
final class PayloadStream: ByteSink {
    private let compressor: StreamCompressor?
    private let put: (UnsafeRawBufferPointer) throws(LogError) -> Void
    /// Bytes before and after compression.
    private(set) var rawSize = 0
    private(set) var storedSize = 0
    private(set) var digest = RunningDigest()
    private var failure: LogError?

    /// - Parameters:
    ///   - compressor: nil if the payload is to be stored as it is.
    ///   - put: writes bytes to the file. It is not called again after it threw.
    init(_ compressor: StreamCompressor?, put: @escaping (UnsafeRawBufferPointer) throws(LogError) -> Void) {
        self.compressor = compressor
        self.put = put
    }

    func write(_ bytes: UnsafeRawBufferPointer) {
        rawSize += bytes.count
        if failure != nil { return }
        guard let compressor else { return emit(bytes) }
        compressor.add(bytes, emit)
    }

    /// To be called after the last byte.
    func finish() throws(LogError) {
        if failure == nil { compressor?.add(UnsafeRawBufferPointer(start: nil, count: 0), isEnd: true, emit) }
        if let failure { throw failure }
    }

    private func emit(_ bytes: UnsafeRawBufferPointer) {
        storedSize += bytes.count
        guard failure == nil else { return }
        digest.update(bytes)
        do throws(LogError) { try put(bytes) } catch { failure = error }
    }
}

/// The sizes of a payload that is written in pieces, found by encoding it once without writing.
struct PayloadPlan {
    let rawSize: Int
    let storedSize: Int
    let isCompressed: Bool

    init(_ body: LogRecord.Body, _ header: TransactionHeader, level: Int32) {
        let stream = PayloadStream(StreamCompressor(level: level, contentSize: 0)) { _ in }
        PayloadWriter.write(body, header, to: stream)
        // Cannot fail: the pieces are not written.
        try? stream.finish()
        rawSize = stream.rawSize
        isCompressed = stream.storedSize < stream.rawSize
        storedSize = min(stream.storedSize, stream.rawSize)
    }
}
