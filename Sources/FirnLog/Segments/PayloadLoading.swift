/// A payload that comes out of its file piece by piece, and of which only what it was before compression is held.
final class PayloadLoading {
    private let decompressor: StreamDecompressor?
    private let expectedDigest: ChainValue
    private let rawSize: Int
    private var digest = RunningDigest()
    /// The bytes that are stored as they are.
    private var plain: [UInt8] = []

    /// - Parameter digest: the one that the frame was checked with: the file may have changed since.
    init(_ header: FrameHeader, digest: ChainValue) {
        expectedDigest = digest
        rawSize = Int(header.rawSize)
        decompressor = header.flags.contains(.compressed) ? StreamDecompressor(rawSize: rawSize) : nil
        if decompressor == nil { plain.reserveCapacity(Int(header.storedSize)) }
    }

    func add(_ piece: UnsafeRawBufferPointer) {
        digest.update(piece)
        if let decompressor { decompressor.add(piece) } else { plain.append(contentsOf: piece) }
    }

    func finish() throws(DecodeFailure) -> [UInt8] {
        guard digest.value == expectedDigest else {
            throw DecodeFailure(what: "other bytes than a moment before", offset: 0)
        }
        if let decompressor { return try decompressor.finish() }
        guard plain.count == rawSize else { throw DecodeFailure(what: "\(plain.count) plain bytes", offset: 0) }
        return plain
    }
}

extension CompressionDictionary {
    /// Reads the dictionary of that name, and holds it against its name.
    static func load(
        _ id: DictionaryID, in directory: String, fileSystem: any FileSystem
    ) throws(LogError) -> CompressionDictionary {
        let path = directory + "/" + Format.dictionaryName(id)
        let bytes = try attempt { () throws(FileError) in try fileSystem.contents(of: path) }
        let found = DictionaryID(of: bytes)
        guard found == id else {
            throw LogError(
                .damaged, "The dictionary is not what was written; restore the file from a backup.", path: path,
                offset: 0, expected: "\(id)", found: "\(found)")
        }
        return CompressionDictionary(bytes)
    }
}

/// Decompresses and decodes a frame's payload. Throws `unsupportedVersion` for a kind of record, or flags, that this
/// version does not know.
func decode(
    _ frame: Frame, in segment: Segment, _ decompressor: Decompressor
) throws(LogError) -> LogRecord {
    let header = frame.header
    guard FrameFlags.known.isSuperset(of: header.flags), header.kind.isKnownRecord else {
        throw LogError(
            .unsupportedVersion, "A newer version wrote this record; update the program to read it.",
            path: segment.path, offset: frame.offset, sequence: header.sequence,
            expected: "a kind of record, and flags, of format \(Format.version)",
            found: "\(header.kind), flags \(header.flags.rawValue)")
    }
    var record = try decompressed(frame, in: segment, decompressor) { payload throws(DecodeFailure) in
        try PayloadReader.record(payload, kind: header.kind, sequence: header.sequence, date: header.date)
    }
    record.position.link = frame.link.beginning
    return record
}
