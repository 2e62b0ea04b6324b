import Synchronization

/// The outcome of packing, at its end or so far.
public struct PackingReport: Hashable, Sendable {
    /// The segments that are packed now and were not.
    public var segmentCount = 0
    /// Bytes of these before and after.
    public var plainSize: Int64 = 0
    public var packedSize: Int64 = 0
    /// The segments that are left.
    public var remainingCount = 0
}

extension LogMaintenance {
    /// Bytes of frames that are compressed together. Four times as many make blocks 2 % smaller, and one record takes
    /// four times as long to read.
    private static let blockSize: Int64 = 128 << 10
    /// A frame that takes more bytes is stored as it is, since its payload is compressed already.
    private static let blockSizeMax: Int64 = 1 << 20

    /// Whether segments were sealed since this was asked last. Returns true once for each.
    public func beginPacking() -> Bool {
        guard log.isWritable else { return false }
        let start = log.stateLock.withLock {
            log.isClosed || log.poison != nil || log.contents.starts.count < 2 ? .zero : log.tail.segment.firstSequence
        }
        return lastSealed.withLock { last in
            defer { last = max(last, start) }
            return start > last
        }
    }

    /// Compresses the frames of all sealed segments that are not packed yet, the first ones first. Records, links and
    /// signatures stay what they are. Saves and readers go on meanwhile.
    ///
    /// A segment is written under another name, read back, compared with the plain one, and only then renamed to its
    /// name: the log is whole whenever this is interrupted.
    ///
    /// Complexity: some 50 MB of segments a second.
    /// - Parameters:
    ///   - sealingLast: whether the last segment is packed too. The next record begins another one.
    ///   - waiting: whether to wait while somebody else packs, trims or erases. Otherwise this throws `locked`.
    ///   - progress: is called after each segment.
    @discardableResult
    public func pack(
        sealingLast: Bool = false, waiting: Bool = false, progress: (PackingReport) -> Void = { _ in }
    ) throws -> PackingReport {
        var report = PackingReport()
        if sealingLast { try log.exclusively { try log.rollAt(log.head) } }
        var next = SequenceNumber.zero
        while let step = try packSegment(after: next, waiting, &report) {
            next = step
            progress(report)
        }
        return report
    }

    /// Packs the first plain segment that begins after a record; returns where it begins, nil if there is none.
    private func packSegment(
        after record: SequenceNumber, _ waiting: Bool, _ report: inout PackingReport
    ) throws -> SequenceNumber? {
        try log.withPackLock(waiting: waiting) {
            try log.stateLock.withLock { try log.checkWritable() }
            // Another program may have trimmed the log since.
            let starts = try LogContents(of: log.directory, log.fileSystem).starts
            try removeUnfinishedPackings()
            for (index, start) in starts.dropLast().enumerated() where start > record {
                let path = log.directory + "/" + Format.segmentName(start)
                let file = try attempt { () throws(FileError) in try log.fileSystem.open(path, .read) }
                if try SegmentHeader(reading: file, path: path).isPacked { continue }
                report.plainSize += try attempt { () throws(FileError) in try file.size() }
                report.packedSize += try pack(start, before: starts[index + 1])
                report.segmentCount += 1
                report.remainingCount = starts.count - index - 2
                return start
            }
            return nil
        }
    }

    /// Removes what a packing that was killed has left. Call with the pack lock held.
    func removeUnfinishedPackings() throws(LogError) {
        try attempt { () throws(FileError) in
            for name in try log.fileSystem.list(log.directory) where Format.isUnfinishedPacking(named: name) {
                try log.fileSystem.remove(log.directory + "/" + name)
            }
        }
    }

    /// Packs a segment; returns the size of its file.
    ///
    /// Its name until it is whole is its own: should another store be put into this one's place meanwhile, no file of
    /// that is renamed.
    private func pack(_ start: SequenceNumber, before following: SequenceNumber) throws -> Int64 {
        let segment = try log.openSegment(start)
        let name = Format.segmentName(start) + "." + String(UInt64.random(in: 0 ... .max), radix: 16)
            + Format.unfinishedSuffix
        let rewriting = SegmentRewriting(log, unfinishedName: name)
        let file = try rewriting.create()
        do {
            var writer = PackedWriter(segment, file)
            var cursor = SegmentCursor(segment)
            while let frame = try LogEraser.next(&cursor) {
                let size = Int64(frame.header.frameSize)
                if size > Self.blockSizeMax { try writer.endBlock() }
                writer.add(frame)
                if writer.plainSize >= Self.blockSize { try writer.endBlock(asIs: size > Self.blockSizeMax) }
            }
            guard cursor.sequence == following else {
                throw LogError(
                    .damaged, "Records are gone at the segment's end; restore it from a backup.", path: segment.path,
                    offset: cursor.offset, sequence: cursor.sequence, expected: "record \(cursor.sequence)",
                    found: "the end")
            }
            try writer.finish()
            try Self.compare(segment, with: file)
            try rewriting.putInPlace(file, segment.path)
            return writer.storedSize
        } catch {
            try? rewriting.discard()
            throw error
        }
    }

    /// Holds what was packed to the plain segment.
    private static func compare(_ segment: Segment, with file: any File) throws {
        let packed = try PackedFile(file, segment.header, path: segment.path)
        let (left, right) = (FrameWindow(segment.file), FrameWindow(packed))
        var offset: Int64 = 0
        let piece = Int(blockSize)
        while true {
            let expected = try left.bytes(at: offset, count: piece)
            let found = try right.bytes(at: offset, count: piece)
            guard expected.count == found.count, compareBytes(expected, found) else {
                throw LogError(
                    .ioFailed, "A segment was not the same after it was compressed, and stays as it is.",
                    path: segment.path, offset: offset)
            }
            if expected.count < piece { return }
            offset += Int64(piece)
        }
    }
}

/// Writes the packed form of a segment.
private struct PackedWriter {
    private let segment: Segment
    private let file: any File
    private let compressor = Compressor()
    private var entries: [PackedFile.Entry]
    /// Where the next block begins in the plain segment and in this file, and the record and link before it.
    private var start: (plain: Int64, stored: Int64, first: SequenceNumber, link: ChainValue)
    /// The end of the frames that were added.
    private var end: (plain: Int64, first: SequenceNumber, link: ChainValue)

    init(_ segment: Segment, _ file: any File) {
        self.segment = segment
        self.file = file
        let headerSize = Int64(Format.segmentHeaderSize)
        start = (headerSize, headerSize, segment.firstSequence, segment.header.chain)
        end = (headerSize, segment.firstSequence, segment.header.chain)
        entries = []
    }

    /// Bytes of the frames that are in no block yet.
    var plainSize: Int64 { end.plain - start.plain }
    /// Bytes of what was written.
    var storedSize: Int64 { start.stored }

    mutating func add(_ frame: Frame) { end = (frame.end, frame.header.sequence.next, frame.link) }

    /// - Parameter asIs: whether the frames are stored without trying to compress them.
    mutating func endBlock(asIs: Bool = false) throws {
        if plainSize == 0 { return }
        entries.append(PackedFile.Entry(plain: start.plain, stored: start.stored, first: start.first))
        var stored = start.stored
        if let block = asIs ? nil : try encoded() {
            try write(block.span.bytes, at: stored)
            stored += Int64(block.count)
        } else {
            while stored - start.stored < plainSize {
                let piece = try frames(at: start.plain + stored - start.stored, atMost: 1 << 20)
                try write(piece.span.bytes, at: stored)
                stored += Int64(piece.count)
            }
        }
        start = (end.plain, stored, end.first, end.link)
    }

    private func encoded() throws -> [UInt8]? {
        let frames = try frames(at: start.plain, atMost: .max)
        let place = PackedBlock.Place(
            seed: segment.seed, dictionary: segment.header.dictionary, first: start.first)
        return frames.withUnsafeBytes { PackedBlock.encode($0, place, from: start.link, to: end.link, compressor) }
    }

    /// Bytes of the block's frames.
    private func frames(at offset: Int64, atMost sizeMax: Int64) throws -> [UInt8] {
        var frames = [UInt8](repeating: 0, count: Int(min(end.plain - offset, sizeMax)))
        let count = try frames.withMutableBytes { target throws(LogError) in
            try attempt { () throws(FileError) in try segment.file.read(into: target, at: offset) }
        }
        guard count == frames.count else {
            throw LogError(
                .damaged, "The file became shorter while it was read; restore it from a backup.", path: segment.path,
                offset: offset + Int64(count))
        }
        return frames
    }

    mutating func finish() throws {
        try endBlock()
        entries.append(PackedFile.Entry(plain: start.plain, stored: start.stored, first: start.first))
        let ending = PackedFile.ending(entries)
        try write(ending.span.bytes, at: start.stored)
        start.stored += Int64(ending.count)
        var header = segment.header
        header.isPacked = true
        try write(header.encoded().span.bytes, at: 0)
    }

    private func write(_ bytes: RawSpan, at offset: Int64) throws {
        try attempt { () throws(FileError) in try file.write(bytes, at: offset) }
    }
}
