/// A piece of a file in memory, so that frames that stand side by side are read together.
///
/// The first piece is small, because most often one frame follows, which was just appended. Each further piece is twice
/// as large as the one before.
final class FrameWindow {
    // In bytes.
    private static let sizeFirst = 4 << 10
    private static let sizeMax = 64 << 10

    private let file: any File
    private var buffer: UnsafeMutableRawBufferPointer
    /// The size of the next piece, in bytes.
    private var size = sizeFirst
    private var start: Int64 = 0
    private var count = 0

    init(_ file: any File) {
        self.file = file
        buffer = .allocate(byteCount: Self.sizeFirst, alignment: 16)
    }

    deinit { buffer.deallocate() }

    /// `count` bytes from `offset`, fewer where the file ends. They are valid until the next call.
    func bytes(at offset: Int64, count wanted: Int) throws(LogError) -> UnsafeRawBufferPointer {
        if offset < start || offset + Int64(wanted) > start + Int64(count) {
            try fill(from: offset, atLeast: wanted)
        }
        let first = Int(offset - start)
        return UnsafeRawBufferPointer(rebasing: buffer[first..<min(count, first + wanted)])
    }

    /// Forgets what was read: the file may have grown.
    func discard() { (count, size) = (0, Self.sizeFirst) }

    private func fill(from offset: Int64, atLeast wanted: Int) throws(LogError) {
        count = 0
        // A record of a hundred megabytes should not keep its memory for ever.
        let size = max(wanted, size)
        if buffer.count < size || buffer.count > 64 * max(size, Self.sizeMax) {
            buffer.deallocate()
            buffer = .allocate(byteCount: size, alignment: 16)
        }
        let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<size])
        count = try attempt { () throws(FileError) in try file.read(into: piece, at: offset) }
        start = offset
        self.size = min(2 * self.size, Self.sizeMax)
    }
}
