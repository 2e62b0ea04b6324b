import CZstd

/// zstd with a context that is reused (https://facebook.github.io/zstd/zstd_manual.html). Not for two
/// threads at once.
///
/// The result is a zstd frame without the four bytes of its magic number, which are always the same.
final class Compressor {
    /// The magic number that zstd puts first and the log leaves out.
    static let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
    /// In bytes. Shorter payloads gain little by themselves, and much together, once their segment is packed.
    private static let smallestInput = 1 << 10
    /// The smallest input with a dictionary, in bytes.
    private static let smallestInputWithDictionary = 24
    /// In bytes. From this size on, speed matters more than the last percents of size.
    private static let largeInput = 1 << 20

    private let context: OpaquePointer
    /// The dictionary that was used last, in zstd's form.
    private var prepared: (id: DictionaryID, level: Int32, dictionary: OpaquePointer)?

    init() {
        guard let context = ZSTD_createCCtx() else { fatalError("no memory for zstd") }
        self.context = context
    }

    deinit {
        ZSTD_freeCCtx(context)
        if let prepared { ZSTD_freeCDict(prepared.dictionary) }
    }

    /// The size of the target that `compress` needs for `count` bytes, the magic number included.
    static func bound(_ count: Int) -> Int { ZSTD_compressBound(count) }

    /// Compresses `source` to the beginning of `target`, the magic number included; returns the size, or nil
    /// if it is not worth it.
    func compress(
        _ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer, level: Int32,
        dictionary: CompressionDictionary? = nil
    ) -> Int? {
        if source.count < (dictionary == nil ? Self.smallestInput : Self.smallestInputWithDictionary) { return nil }
        let level = source.count > Self.largeInput ? min(level, 1) : level
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)
        // The segment says which dictionary it is.
        ZSTD_CCtx_setParameter(context, ZSTD_c_dictIDFlag, 0)
        ZSTD_CCtx_refCDict(context, dictionary.map { prepare($0, level) })
        let size = ZSTD_compress2(
            context, target.baseAddress, target.count, source.baseAddress, source.count)
        if ZSTD_isError(size) != 0 || size - Self.magic.count >= source.count { return nil }
        return size
    }
}

extension Compressor {
    private func prepare(_ dictionary: CompressionDictionary, _ level: Int32) -> OpaquePointer {
        if let prepared, prepared.id == dictionary.id, prepared.level == level { return prepared.dictionary }
        if let prepared { ZSTD_freeCDict(prepared.dictionary) }
        let made = dictionary.bytes.withUnsafeBytes { ZSTD_createCDict($0.baseAddress, $0.count, level) }
        guard let made else { fatalError("no memory for zstd") }
        prepared = (dictionary.id, level, made)
        return made
    }
}

/// The way back. Not for two threads at once.
final class Decompressor {
    private let context: OpaquePointer
    private var scratch: [UInt8] = []

    init() {
        guard let context = ZSTD_createDCtx() else { fatalError("no memory for zstd") }
        self.context = context
    }

    deinit { ZSTD_freeDCtx(context) }

    /// The `rawSize` bytes that were compressed to `source`, which has no magic number.
    func decompress(
        _ source: UnsafeRawBufferPointer, rawSize: Int, dictionary: CompressionDictionary? = nil
    ) throws(DecodeFailure) -> [UInt8] {
        scratch.removeAll(keepingCapacity: source.count < 1 << 20)
        scratch.reserveCapacity(source.count + Compressor.magic.count)
        scratch.append(contentsOf: Compressor.magic)
        scratch.append(contentsOf: source)
        // The frame has its content size in its header: where the two differ, no memory is allocated.
        let promised = scratch.withUnsafeBytes { ZSTD_getFrameContentSize($0.baseAddress, $0.count) }
        guard promised == UInt64(rawSize) else {
            throw DecodeFailure(what: "compressed bytes of another size than the header says", offset: 0)
        }
        var problem: String?
        let raw = [UInt8](unsafeUninitializedCapacity: rawSize) { target, count in
            let size = scratch.withUnsafeBytes {
                ZSTD_decompress_usingDDict(
                    context, target.baseAddress, rawSize, $0.baseAddress, $0.count, dictionary?.decompressing)
            }
            if ZSTD_isError(size) != 0 {
                problem = String(cString: ZSTD_getErrorName(size))
            } else {
                count = size
            }
        }
        if let problem { throw DecodeFailure(what: "compressed bytes: \(problem)", offset: 0) }
        guard raw.count == rawSize else {
            throw DecodeFailure(what: "\(raw.count) bytes after decompression", offset: 0)
        }
        return raw
    }
}
