internal import CFileRange

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// The operating system's own files.
public struct PosixFileSystem: FileSystem {
    public init() {}

    public func open(_ path: String, _ access: FileAccess) throws(FileError) -> any File {
        let flags =
            switch access {
            case .read: O_RDONLY
            case .write: O_RDWR
            case .create: O_RDWR | O_CREAT | O_EXCL
            }
        return try PosixFile(path: path, flags: flags, operation: "open it")
    }

    public func kind(of path: String) throws(FileError) -> FileKind? {
        var status = stat()
        do {
            try SystemCall.retrying("look at it", path) { stat(path, &status) }
        } catch {
            if error.errno == ENOENT { return nil }
            throw error
        }
        return switch status.st_mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .directory
        default: .other
        }
    }

    public func list(_ directory: String) throws(FileError) -> [String] {
        guard let stream = opendir(directory) else {
            throw FileError("list the folder", path: directory, errno: errno)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw FileError("list the folder", path: directory, errno: errno) }
                return names
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
    }

    public func createDirectory(_ path: String) throws(FileError) {
        try SystemCall.retrying("create the folder", path) { mkdir(path, 0o777) }
    }

    public func remove(_ path: String) throws(FileError) {
        try SystemCall.retrying("remove it", path) { unlink(path) }
    }

    public func rename(_ path: String, to newPath: String) throws(FileError) {
        try SystemCall.retrying("rename it to \(newPath)", path) { Self.renameFile(path, newPath) }
    }

    public func exchange(_ path: String, with otherPath: String) throws(FileError) {
        try SystemCall.retrying("exchange it with \(otherPath)", path) { exchange_names(path, otherPath) }
    }

    public func syncDirectory(_ path: String) throws(FileError) {
        let folder = try PosixFile(path: path, flags: O_RDONLY | O_DIRECTORY, operation: "open it")
        try SystemCall.retrying("sync the folder", path) { fsync(folder.descriptor) }
    }

    public func lock(_ path: String) throws(FileError) -> any FileLock {
        try PosixFileLock(path: path)
    }

    public func watch(_ directory: String) throws(FileError) -> any DirectoryWatch {
        try PosixDirectoryWatch(directory: directory)
    }

    public func networkFileSystem(at path: String) throws(FileError) -> String? {
        guard let resolved = realpath(path, nil) else {
            throw FileError("resolve the path", path: path, errno: errno)
        }
        defer { free(resolved) }
        // Where there is no /proc nothing is known, and nothing is refused.
        guard let table = try? PosixFile.contents(of: "/proc/self/mountinfo") else { return nil }
        let type = MountTable(text: table).type(of: String(cString: resolved))
        return type.flatMap { MountTable.networkTypes.contains($0) ? $0 : nil }
    }

    /// The C function, whose name the method above hides.
    private static func renameFile(_ path: String, _ newPath: String) -> Int32 {
        #if canImport(Glibc)
            Glibc.rename(path, newPath)
        #else
            Musl.rename(path, newPath)
        #endif
    }
}
