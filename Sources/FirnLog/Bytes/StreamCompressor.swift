import CZstd

/// zstd for a payload that comes piece by piece (https://facebook.github.io/zstd/zstd_manual.html#Chapter9). What comes
/// out is what `Compressor` gives: a frame that says how large its content is, without the magic number.
///
/// zstd leaves the size of the content out where it does not know it at the beginning. So its header, which has only
/// the size of the window then, is replaced by one that has both
/// (https://www.rfc-editor.org/rfc/rfc8878#section-3.1.1.1):
///
///     zstd's  │ magic number (4) │ descriptor 0 │ window │ blocks …
///     ours    │ descriptor 0x80 │ window │ size of the content (4) │ the same blocks …
final class StreamCompressor {
    /// The descriptor of a header with a window, a content size of four bytes, no checksum and no dictionary.
    private static let descriptor: UInt8 = 0x80

    private let context: OpaquePointer
    private let contentSize: UInt32
    private var buffer: [UInt8]
    private var isHeaderDone = false

    /// - Parameter contentSize: the sum of all pieces; anything if only the size of the outcome counts.
    init(level: Int32, contentSize: Int) {
        guard let context = ZSTD_createCCtx() else { fatalError("no memory for zstd") }
        self.context = context
        self.contentSize = UInt32(contentSize)
        buffer = [UInt8](repeating: 0, count: ZSTD_CStreamOutSize())
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)
    }

    deinit { ZSTD_freeCCtx(context) }

    /// Compresses a piece, and calls `put` with what comes of it. At least one piece must come before the end.
    func add(_ piece: UnsafeRawBufferPointer, isEnd: Bool = false, _ put: (UnsafeRawBufferPointer) -> Void) {
        var input = ZSTD_inBuffer(src: piece.baseAddress, size: piece.count, pos: 0)
        var isDone = false
        while !isDone {
            let count = buffer.withUnsafeMutableBytes { target in
                var output = ZSTD_outBuffer(dst: target.baseAddress, size: target.count, pos: 0)
                let left = ZSTD_compressStream2(context, &output, &input, isEnd ? ZSTD_e_end : ZSTD_e_continue)
                guard ZSTD_isError(left) == 0 else {
                    fatalError("zstd has no memory to compress with")
                }
                isDone = isEnd ? left == 0 : input.pos == input.size
                return output.pos
            }
            buffer.withUnsafeBytes { emit(UnsafeRawBufferPointer(rebasing: $0[..<count]), put) }
        }
    }

    private func emit(_ made: UnsafeRawBufferPointer, _ put: (UnsafeRawBufferPointer) -> Void) {
        if made.isEmpty { return }
        if isHeaderDone { return put(made) }
        let start = Compressor.magic.count
        guard made.count > start + 1 && made[start] == 0 else {
            fatalError("zstd begins with a header that has a window only")
        }
        isHeaderDone = true
        var header = [Self.descriptor, made[start + 1]]
        withUnsafeBytes(of: contentSize.littleEndian) { header.append(contentsOf: $0) }
        header.withUnsafeBytes(put)
        put(UnsafeRawBufferPointer(rebasing: made[(start + 2)...]))
    }
}
