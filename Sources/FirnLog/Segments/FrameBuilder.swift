/// A frame that is being made: the payload is in its place, header and link come last.
struct FrameBuilder {
    private(set) var bytes: [UInt8]
    let flags: FrameFlags
    let storedSize: Int
    let rawSize: Int
    /// The dictionary that the payload is compressed with.
    let dictionary: DictionaryID?
    /// Of the payload as it is stored.
    private let digest: ChainValue

    init(payload raw: [UInt8], compressor: Compressor, level: Int32, dictionary: CompressionDictionary? = nil) {
        // zstd's magic number falls on the end of the header, which is written over it later.
        let start = Format.frameHeaderSize - Compressor.magic.count
        let room = Format.frameHeaderSize + max(Compressor.bound(raw.count), raw.count) + Format.frameSizeMin
        var flags: FrameFlags = []
        var stored = raw.count
        bytes = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            let target = UnsafeMutableRawBufferPointer(buffer)
            raw.withUnsafeBytes { source in
                let size = compressor.compress(
                    source, into: .init(rebasing: target[start...]), level: level, dictionary: dictionary)
                if let size {
                    flags.formUnion(dictionary == nil ? .compressed : [.compressed, .dictionary])
                    stored = size - Compressor.magic.count
                } else {
                    UnsafeMutableRawBufferPointer(
                        rebasing: target[Format.frameHeaderSize..<Format.frameHeaderSize + raw.count]
                    ).copyMemory(from: source)
                }
            }
            count = Format.frameSize(storedSize: stored)
            let end = Format.frameHeaderSize + stored
            UnsafeMutableRawBufferPointer(rebasing: target[end..<count])
                .initializeMemory(as: UInt8.self, repeating: 0)
        }
        self.flags = flags
        self.dictionary = flags.contains(.dictionary) ? dictionary?.id : nil
        storedSize = stored
        rawSize = raw.count
        let known = self.dictionary
        digest = bytes.withUnsafeBytes { buffer in
            let payload = UnsafeRawBufferPointer(
                rebasing: buffer[Format.frameHeaderSize..<Format.frameHeaderSize + stored])
            return ChainValue(digestOf: payload, compressedWith: known)
        }
    }

    /// Completes the frame; returns its header and its link.
    mutating func finish(
        kind: FrameKind, sequence: SequenceNumber, date: Int64, durable: SequenceNumber,
        previous: ChainValue, seed: Checksum
    ) -> (header: FrameHeader, link: ChainValue) {
        let header = FrameHeader(
            kind: kind, flags: flags, unsynced: FrameHeader.unsynced(before: sequence, durable: durable),
            storedSize: storedSize, rawSize: rawSize, sequence: sequence, date: date)
        let link = bytes.withUnsafeMutableBytes { buffer in
            header.encode(to: buffer, seed: seed)
            let link = previous.link(payloadDigest: digest, sequence: sequence, date: date, kind: kind)
            link.copy(to: buffer, at: buffer.count - Format.linkSize)
            return link
        }
        return (header, link)
    }
}
