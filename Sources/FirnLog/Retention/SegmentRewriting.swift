/// Rewrites segments and baselines: writes a new file, then renames it to the old one's name. Use with the trim lock
/// held.
struct SegmentRewriting {
    private let log: SegmentLog
    /// The name of the new file until it is whole.
    private let unfinishedName: String

    init(_ log: SegmentLog, unfinishedName: String = Format.unfinishedErasureName) {
        self.log = log
        self.unfinishedName = unfinishedName
    }

    /// Rewrites a segment, which is not the last one.
    ///
    /// - Parameters:
    ///   - following: the first record of the segment that follows.
    ///   - dictionary: what the new segment names.
    ///   - replaced: the frame that is to stand for one; nil for one that stays as it is.
    func rewrite(
        _ segment: Segment, before following: SequenceNumber, dictionary: DictionaryID?,
        _ replaced: (Frame) throws -> [UInt8]?
    ) throws {
        var cursor = SegmentCursor(segment)
        let file = try create()
        var end = Int64(Format.segmentHeaderSize)
        var header = segment.header
        header.dictionary = dictionary
        try append(header.encoded(), to: file, at: 0)
        while let frame = try LogEraser.next(&cursor) {
            if let bytes = try replaced(frame) {
                try append(bytes, to: file, at: end)
                end += Int64(bytes.count)
            } else {
                try copy(frame, of: segment, to: file, at: end)
                end += Int64(frame.header.frameSize)
            }
        }
        guard cursor.sequence == following else {
            throw LogError(
                .damaged, "Records are gone at the segment's end, so nothing was erased; restore it from a backup.",
                path: segment.path, offset: cursor.offset, sequence: cursor.sequence,
                expected: "record \(cursor.sequence)", found: "the end")
        }
        try putInPlace(file, segment.path)
    }

    private var unfinished: String { log.directory + "/" + unfinishedName }

    func create() throws(LogError) -> any File {
        try attempt { () throws(FileError) in
            if try log.fileSystem.kind(of: unfinished) != nil { try log.fileSystem.remove(unfinished) }
            return try log.fileSystem.open(unfinished, .create)
        }
    }

    func discard() throws(LogError) {
        try attempt { () throws(FileError) in try log.fileSystem.remove(unfinished) }
    }

    func putInPlace(_ file: any File, _ path: String) throws(LogError) {
        try attempt { () throws(FileError) in
            try file.sync()
            try log.fileSystem.rename(unfinished, to: path)
            try log.fileSystem.syncDirectory(log.directory)
        }
    }

    private func append(_ bytes: [UInt8], to file: any File, at offset: Int64) throws(LogError) {
        try attempt { () throws(FileError) in
            try file.write(bytes.span.bytes, at: offset)
        }
    }

    private func copy(_ frame: Frame, of segment: Segment, to file: any File, at offset: Int64) throws(LogError) {
        let bytes = FilePayload(file: segment.file, offset: frame.offset, size: frame.header.frameSize)
        guard try attempt({ () throws(FileError) in try bytes.copy(to: file, at: offset) }) == bytes.size else {
            throw LogError(
                .damaged, "The file became shorter while it was read; restore it from a backup.",
                path: segment.path, offset: frame.offset, sequence: frame.header.sequence)
        }
    }
}

extension LogEraser {
    /// Rewrites the segments of the records that were found. None of them is the last one.
    mutating func rewriteSegments() throws {
        let starts = log.stateLock.withLock { log.contents.starts }
        for (index, start) in starts.enumerated() {
            let end = index + 1 < starts.count ? starts[index + 1] : SequenceNumber(.max)
            let path = log.directory + "/" + Format.segmentName(start)
            let file = try attempt { () throws(FileError) in try log.fileSystem.open(path, .read) }
            let named = try SegmentHeader(reading: file, path: path).dictionary
            let isDropped = named.map(droppedDictionaries.contains) ?? false
            guard isDropped || replacements.keys.contains(where: { $0 >= start && $0 < end }) else { continue }
            let segment = try log.openSegment(start)
            try SegmentRewriting(log).rewrite(segment, before: end, dictionary: isDropped ? nil : named) { frame in
                try replacedFrame(frame, in: segment)
            }
        }
    }
}
