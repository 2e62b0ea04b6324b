import CZstd

/// The way back of `StreamCompressor`, and of `Compressor` without a dictionary.
final class StreamDecompressor {
    private let context: OpaquePointer
    private let rawSize: Int
    private var raw: [UInt8] = []
    private var count = 0
    private var isBegun = false
    /// The frame is complete.
    private var isAtEnd = false
    private var failure: DecodeFailure?

    /// - Parameter rawSize: the size of what was compressed.
    init(rawSize: Int) {
        guard let context = ZSTD_createDCtx() else { fatalError("no memory for zstd") }
        self.context = context
        self.rawSize = rawSize
    }

    deinit { ZSTD_freeDCtx(context) }

    /// Decompresses the next piece, which must not be empty; the first one has the whole header.
    func add(_ piece: UnsafeRawBufferPointer) {
        if !isBegun { begin(piece) }
        if failure == nil { decompress(piece) }
    }

    /// Returns the bytes that were compressed, after the last piece.
    func finish() throws(DecodeFailure) -> [UInt8] {
        if let failure { throw failure }
        guard isAtEnd, count == rawSize else {
            throw DecodeFailure(what: "\(count) bytes after decompression", offset: 0)
        }
        return raw
    }

    private func begin(_ piece: UnsafeRawBufferPointer) {
        isBegun = true
        // The frame has its content size in its header: where the two differ, no memory is allocated.
        let start = Compressor.magic + piece.prefix(32)
        guard start.withUnsafeBytes({ ZSTD_getFrameContentSize($0.baseAddress, $0.count) }) == UInt64(rawSize) else {
            failure = DecodeFailure(what: "compressed bytes of another size than the header says", offset: 0)
            return
        }
        raw = [UInt8](repeating: 0, count: rawSize)
        Compressor.magic.withUnsafeBytes(decompress)
    }

    private func decompress(_ piece: UnsafeRawBufferPointer) {
        var input = ZSTD_inBuffer(src: piece.baseAddress, size: piece.count, pos: 0)
        raw.withUnsafeMutableBytes { target in
            var output = ZSTD_outBuffer(dst: target.baseAddress, size: target.count, pos: count)
            defer { count = output.pos }
            while input.pos < input.size {
                let before = (input.pos, output.pos)
                let left = ZSTD_decompressStream(context, &output, &input)
                guard ZSTD_isError(left) == 0, !isAtEnd, (input.pos, output.pos) != before else {
                    let isError = ZSTD_isError(left) != 0
                    let problem = isError ? String(cString: ZSTD_getErrorName(left)) : "too many of them"
                    failure = DecodeFailure(what: "compressed bytes: \(problem)", offset: 0)
                    return
                }
                isAtEnd = left == 0
            }
        }
    }
}
