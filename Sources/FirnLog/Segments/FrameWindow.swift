/// A piece of a file in memory, so that frames that stand side by side are read together.
final class FrameWindow {
    private static let sizeMin = 64 << 10

    private let file: any File
    private var buffer: UnsafeMutableRawBufferPointer
    private var start: Int64 = 0
    private var count = 0

    init(_ file: any File) {
        self.file = file
        buffer = .allocate(byteCount: Self.sizeMin, alignment: 16)
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
    func discard() { count = 0 }

    private func fill(from offset: Int64, atLeast wanted: Int) throws(LogError) {
        count = 0
        // A record of a hundred megabytes should not keep its memory for ever.
        let size = max(wanted, Self.sizeMin)
        if buffer.count < size || buffer.count > 64 * size {
            buffer.deallocate()
            buffer = .allocate(byteCount: size, alignment: 16)
        }
        count = try attempt { () throws(FileError) in try file.read(into: buffer, at: offset) }
        start = offset
    }
}
