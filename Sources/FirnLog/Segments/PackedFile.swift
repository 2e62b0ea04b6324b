import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A sealed segment whose frames are stored in compressed blocks, read as the plain segment that it stands for.
///
///     header, with the flag that says so │ block … │ directory │ trailer
///     directory   for each block, and for the end: its place in the plain segment (8), its place in this file (8),
///                 the record of its first frame (8)
///     trailer     place of the directory (8) │ blocks (4) │ CRC-32C of the directory and the 12 bytes before (4)
///
/// A block of the size of its frames is these frames as they are: they are large, or nothing compresses them.
final class PackedFile: ReadOnlyFile {
    static let trailerSize = 16
    static let entrySize = 24

    struct Entry: Hashable {
        /// Where the block's first frame stands in the plain segment.
        var plain: Int64
        /// Where the block stands in this file.
        var stored: Int64
        /// The record of the first frame.
        var first: SequenceNumber
    }

    /// The block that was read last.
    private struct Held {
        var index = -1
        var frames: [UInt8] = []
        let decompressor = Decompressor()
    }

    private let file: any File
    private let path: String
    /// The plain segment's header.
    private let header: SegmentHeader
    /// One for each block, and one for the end.
    private let entries: [Entry]
    private let held = Mutex(Held())

    init(_ file: any File, _ header: SegmentHeader, path: String) throws(LogError) {
        self.file = file
        self.header = header
        self.path = path
        entries = try Self.directory(of: file, path: path)
    }

    private static func directory(of file: any File, path: String) throws(LogError) -> [Entry] {
        let fileSize = try attempt { () throws(FileError) in try file.size() }
        func damaged(_ offset: Int64, _ found: String) -> LogError {
            LogError(
                .damaged, "The directory of a compressed segment is not what was written; restore it from a backup.",
                path: path, offset: offset, expected: "a directory", found: found)
        }
        let trailerStart = fileSize - Int64(trailerSize)
        guard trailerStart >= Int64(Format.segmentHeaderSize) else { throw damaged(fileSize, "the end") }
        func bytes(_ offset: Int64, _ count: Int) throws(LogError) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: count)
            let read = try attempt { () throws(FileError) in
                try bytes.withMutableBytes { target throws(FileError) in try file.read(into: target, at: offset) }
            }
            guard read == count else { throw damaged(offset + Int64(read), "the end") }
            return bytes
        }
        let trailer = try bytes(trailerStart, trailerSize)
        let (start, count, checksum): (Int64, UInt32, UInt32) = trailer.withUnsafeBytes {
            ($0.load(at: 0), $0.load(at: 8), $0.load(at: 12))
        }
        guard start >= Int64(Format.segmentHeaderSize), start <= trailerStart,
            trailerStart - start == (Int64(count) + 1) * Int64(entrySize)
        else { throw damaged(trailerStart, "\(count) blocks before byte \(start)") }
        let directory = try bytes(start, Int(trailerStart - start))
        let found = directory.withUnsafeBytes { directory in
            trailer.withUnsafeBytes { Checksum().updated(directory).updated(.init(rebasing: $0[..<12])).value }
        }
        guard found == checksum else { throw damaged(start, "another checksum") }
        let entries = directory.withUnsafeBytes { directory in
            (0...Int(count)).map { index in
                Entry(
                    plain: directory.load(at: index * entrySize), stored: directory.load(at: index * entrySize + 8),
                    first: SequenceNumber(directory.load(at: index * entrySize + 16)))
            }
        }
        guard entries[0].plain == Int64(Format.segmentHeaderSize), entries[0].stored == entries[0].plain,
            entries[Int(count)].stored == start,
            zip(entries, entries.dropFirst()).allSatisfy({ $0.plain < $1.plain && $0.stored < $1.stored })
        else { throw damaged(start, "blocks that overlap") }
        return entries
    }

    /// The directory and the trailer, which follow the blocks.
    static func ending(_ entries: [Entry]) -> [UInt8] {
        var out = ByteWriter()
        for entry in entries {
            out.word(UInt64(bitPattern: entry.plain))
            out.word(UInt64(bitPattern: entry.stored))
            out.word(entry.first.rawValue)
        }
        out.word(UInt64(bitPattern: entries[entries.count - 1].stored))
        var count = UInt32(entries.count - 1).littleEndian
        withUnsafeBytes(of: &count) { out.raw($0) }
        var checksum = out.bytes.withUnsafeBytes { Checksum().updated($0).value }.littleEndian
        withUnsafeBytes(of: &checksum) { out.raw($0) }
        return out.bytes
    }

    func size() throws(FileError) -> Int64 { entries[entries.count - 1].plain }

    /// Complexity: reads and decompresses a block, unless it is the one that was read last.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileError) -> Int {
        var done = 0
        if offset < Format.segmentHeaderSize {
            let bytes = header.encoded()[Int(offset)...].prefix(buffer.count)
            buffer.copyBytes(from: bytes)
            done = bytes.count
        }
        while done < buffer.count, let index = block(at: offset + Int64(done)) {
            let target = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            done += try read(into: target, at: offset + Int64(done), of: index)
        }
        return done
    }

    /// The block that holds a byte of the plain segment; nil behind the last one.
    private func block(at offset: Int64) -> Int? {
        guard offset < entries[entries.count - 1].plain else { return nil }
        var (low, high) = (0, entries.count - 1)
        while high - low > 1 {
            let middle = (low + high) / 2
            if entries[middle].plain <= offset { low = middle } else { high = middle }
        }
        return low
    }

    /// Reads bytes of one block; returns how many.
    private func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, of index: Int
    ) throws(FileError) -> Int {
        let (entry, next) = (entries[index], entries[index + 1])
        let start = Int(offset - entry.plain)
        let count = min(buffer.count, Int(next.plain - offset))
        let target = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
        if next.plain - entry.plain == next.stored - entry.stored {
            let read = try file.read(into: target, at: entry.stored + Int64(start))
            guard read == count else { throw damaged(entry) }
            return count
        }
        let frames = try held.withLock { held throws(FileError) in
            if held.index != index {
                held.frames = try decoded(entry, next, held.decompressor)
                held.index = index
            }
            return held.frames
        }
        target.copyBytes(from: frames[start..<start + count])
        return count
    }

    private func decoded(
        _ entry: Entry, _ next: Entry, _ decompressor: Decompressor
    ) throws(FileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(next.stored - entry.stored))
        let count = try bytes.withMutableBytes { target throws(FileError) in
            try file.read(into: target, at: entry.stored)
        }
        let place = PackedBlock.Place(seed: header.seed, dictionary: header.dictionary, first: entry.first)
        do throws(DecodeFailure) {
            guard count == bytes.count else { throw DecodeFailure(what: "the end", offset: count) }
            return try bytes.withBytes { bytes throws(DecodeFailure) in
                try PackedBlock.decode(bytes, place, size: Int(next.plain - entry.plain), decompressor)
            }
        } catch {
            throw damaged(entry)
        }
    }

    private func damaged(_ entry: Entry) -> FileError {
        FileError("decompress a block of records", path: path, errno: EBADMSG, offset: entry.stored)
    }

    var refusal: FileError { FileError("append to a compressed segment", path: path, errno: EBADMSG) }
}
