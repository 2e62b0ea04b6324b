/// One open file of the log.
final class Segment: Sendable {
    let header: SegmentHeader
    let file: any File
    let path: String
    /// The dictionary that payloads may be compressed with.
    let dictionary: CompressionDictionary?
    /// The beginning of every frame's checksum.
    let seed: Checksum

    var firstSequence: SequenceNumber { header.firstSequence }

    init(header: SegmentHeader, file: any File, path: String, dictionary: CompressionDictionary?) {
        self.dictionary = dictionary
        self.header = header
        self.file = file
        self.path = path
        seed = header.seed
    }

    /// Opens the segment that begins with `first`, and holds its header against its name and its store.
    static func open(
        _ first: SequenceNumber, in directory: String, storeID: StoreID?, forWriting: Bool,
        fileSystem: any FileSystem
    ) throws(LogError) -> Segment {
        let path = directory + "/" + Format.segmentName(first)
        var file = try attempt { () throws(FileError) in
            try fileSystem.open(path, forWriting ? .write : .read)
        }
        var header = try SegmentHeader(reading: file, path: path)
        if header.isPacked {
            header.isPacked = false
            file = try PackedFile(file, header, path: path)
        }
        if let storeID, header.storeID != storeID {
            throw LogError(
                .storeMismatch, "The segment belongs to another store; keep each store's files together.",
                path: path, offset: Int64(Format.SegmentOffset.storeID), expected: storeID.uuidString,
                found: header.storeID.uuidString)
        }
        guard header.firstSequence == first else {
            throw LogError(
                .damaged, "The segment begins with another record than its name says.", path: path,
                offset: Int64(Format.SegmentOffset.firstSequence), expected: "\(first)",
                found: "\(header.firstSequence)")
        }
        var dictionary: CompressionDictionary?
        if let id = header.dictionary { dictionary = try .load(id, in: directory, fileSystem: fileSystem) }
        return Segment(header: header, file: file, path: path, dictionary: dictionary)
    }

    /// Opens the baseline that stands in for all records up to `last`.
    static func openBaseline(
        _ last: SequenceNumber, in directory: String, storeID: StoreID, fileSystem: any FileSystem
    ) throws(LogError) -> Segment {
        let path = directory + "/" + Format.baselineName(last)
        let file = try attempt { () throws(FileError) in try fileSystem.open(path, .read) }
        let header = try SegmentHeader(reading: file, path: path, magic: Format.baselineMagic)
        guard header.storeID == storeID, header.firstSequence == last.next else {
            throw LogError(
                .damaged, "The baseline is another one than its name says.", path: path,
                offset: Int64(Format.SegmentOffset.firstSequence), expected: "of record \(last)",
                found: "of record \(header.firstSequence.rawValue - 1)")
        }
        return Segment(header: header, file: file, path: path, dictionary: nil)
    }

    /// Makes a segment under another name, fills and syncs it, and only then gives it its own: a segment that
    /// is there is whole, whenever the machine stops. `fill` writes its first frames.
    static func create(
        _ header: SegmentHeader, in directory: String, size: Int64, fileSystem: any FileSystem,
        dictionary: CompressionDictionary? = nil,
        fill: (any File) throws(FileError) -> Void = { _ throws(FileError) in }
    ) throws(FileError) -> Segment {
        guard header.dictionary == dictionary?.id else {
            fatalError("a segment names its dictionary")
        }
        let unfinished = directory + "/" + Format.unfinishedName
        let path = directory + "/" + Format.segmentName(header.firstSequence)
        if try fileSystem.kind(of: unfinished) != nil { try fileSystem.remove(unfinished) }
        let file = try fileSystem.open(unfinished, .create)
        do throws(FileError) {
            try file.allocate(size)
            try file.write(header.encoded().span.bytes, at: 0)
            try fill(file)
            try file.sync()
        } catch {
            // Releases the space; if that fails too, the next attempt removes the file.
            try? fileSystem.remove(unfinished)
            throw error
        }
        try fileSystem.rename(unfinished, to: path)
        try fileSystem.syncDirectory(directory)
        return Segment(header: header, file: file, path: path, dictionary: dictionary)
    }
}

extension Segment {
    /// The digest of a frame's payload that is in the chain, unless the frame was redacted.
    func digest(of payload: UnsafeRawBufferPointer, _ frame: FrameHeader) -> ChainValue {
        ChainValue(digestOf: payload, compressedWith: frame.flags.contains(.dictionary) ? header.dictionary : nil)
    }
}

/// Performs an operation on files as one of the log.
func attempt<R>(_ body: () throws(FileError) -> R) throws(LogError) -> R {
    do throws(FileError) { return try body() } catch { throw LogError(error) }
}
