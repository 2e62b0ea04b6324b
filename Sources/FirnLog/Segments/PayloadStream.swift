/// A payload on its way into a file, of which only a piece is in memory.
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
    ///   - put: gets the bytes to store; not again after it threw.
    init(_ compressor: StreamCompressor?, put: @escaping (UnsafeRawBufferPointer) throws(LogError) -> Void) {
        self.compressor = compressor
        self.put = put
    }

    func take(_ bytes: UnsafeRawBufferPointer) {
        rawSize += bytes.count
        if failure != nil { return }
        guard let compressor else { return hand(bytes) }
        compressor.add(bytes, hand)
    }

    /// To be called after the last byte.
    func finish() throws(LogError) {
        if failure == nil { compressor?.add(UnsafeRawBufferPointer(start: nil, count: 0), isEnd: true, hand) }
        if let failure { throw failure }
    }

    private func hand(_ bytes: UnsafeRawBufferPointer) {
        storedSize += bytes.count
        guard failure == nil else { return }
        digest.update(bytes)
        do throws(LogError) { try put(bytes) } catch { failure = error }
    }
}

/// How a payload that is not held is to be stored: found by going through it once.
struct PayloadPlan {
    let rawSize: Int
    let storedSize: Int
    let isCompressed: Bool

    init(_ body: LogRecord.Body, _ header: TransactionHeader, level: Int32) {
        let stream = PayloadStream(StreamCompressor(level: level, contentSize: 0)) { _ in }
        PayloadWriter.write(body, header, to: stream)
        // Nothing is put anywhere.
        try? stream.finish()
        rawSize = stream.rawSize
        isCompressed = stream.storedSize < stream.rawSize
        storedSize = min(stream.storedSize, stream.rawSize)
    }
}

extension LogRecord.Body {
    /// About so many bytes of values are in memory. Complexity: O(columns).
    var heldSize: Int {
        switch self {
        case .changes(let changes): changes.heldSize
        case .model(let model): model.migration?.rows?.heldSize ?? 0
        case .reservation, .erasure, .baseline: 0
        }
    }
}

extension ChangeSet {
    /// About so many bytes of values are in memory. Complexity: O(columns).
    package var heldSize: Int {
        var size = 0
        for group in groups {
            size += 8 * group.primaryKeys.count
            for column in group.new { size += column.heldSize }
            for column in group.old { size += column.heldSize }
        }
        for links in links { size += 48 * (links.removed.count + links.added.count) }
        return size
    }
}
