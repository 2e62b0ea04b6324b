internal import CFileRange

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A file descriptor and the path it was opened under, for errors.
final class PosixFile: File {
    let descriptor: Int32
    private let path: String

    init(path: String, flags: Int32, operation: String) throws(FileError) {
        self.path = path
        descriptor = try SystemCall.retrying(operation, path) { Self.openFile(path, flags) }
    }

    deinit { Self.closeFile(descriptor) }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileError) -> Int {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = try SystemCall.retrying("read it", path) {
                pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
            }
            if count == 0 { break }
            done += count
        }
        return done
    }

    func write(_ bytes: RawSpan, at offset: Int64) throws(FileError) {
        var done = 0
        while done < bytes.byteCount {
            done += try bytes.withUnsafeBytes { bytes throws(FileError) in
                try SystemCall.retrying("write it", path) {
                    pwrite(
                        descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done,
                        off_t(offset) + off_t(done))
                }
            }
        }
    }

    func allocate(_ size: Int64) throws(FileError) {
        if try self.size() >= size { return }
        while true {
            let number = posix_fallocate(descriptor, 0, off_t(size))
            switch number {
            case 0: return
            case EINTR: continue
            // File systems that cannot: the file grows all the same, and a full disk shows at the write.
            case EOPNOTSUPP, EINVAL: return try truncate(size)
            default: throw FileError("make room in it", path: path, errno: number)
            }
        }
    }

    func truncate(_ size: Int64) throws(FileError) {
        try SystemCall.retrying("change the size of it", path) { ftruncate(descriptor, off_t(size)) }
    }

    func size() throws(FileError) -> Int64 {
        var status = stat()
        try SystemCall.retrying("look at it", path) { fstat(descriptor, &status) }
        return Int64(status.st_size)
    }

    func sync() throws(FileError) {
        // Not retried after EINTR or anything else: a second sync may succeed without the lost pages.
        if fdatasync(descriptor) != 0 { throw FileError("sync it", path: path, errno: errno) }
    }

    func startWriting(_ count: Int, at offset: Int64) {
        // Whatever fails here, the sync will tell.
        start_writing(descriptor, offset, Int64(count))
    }

    /// All of a small text file, also one in `/proc` that has no size.
    static func contents(of path: String) throws(FileError) -> String {
        let file = try PosixFile(path: path, flags: O_RDONLY, operation: "open it")
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16384)
        while true {
            let count = try chunk.withMutableBytes { buffer throws(FileError) in
                try file.read(into: buffer, at: Int64(bytes.count))
            }
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk[..<count]
        }
    }

    /// Opens a file, under no number of standard input, output and error: if a program has closed one of them, what it
    /// prints would go into the file.
    private static func openFile(_ path: String, _ flags: Int32) -> Int32 {
        let descriptor = open(path, flags | O_CLOEXEC, 0o666)
        guard (STDIN_FILENO...STDERR_FILENO).contains(descriptor) else { return descriptor }
        defer { close(descriptor) }
        return fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
    }

    private static func closeFile(_ descriptor: Int32) { close(descriptor) }
}
