package import FirnLog

/// A file system in front of another one: a call that a test does not look at goes through.
package protocol FrontedFileSystem: FileSystem {
    var behind: any FileSystem { get }
}

extension FrontedFileSystem {
    package func kind(of path: String) throws(FileError) -> FileKind? { try behind.kind(of: path) }
    package func list(_ directory: String) throws(FileError) -> [String] { try behind.list(directory) }
    package func createDirectory(_ path: String) throws(FileError) { try behind.createDirectory(path) }
    package func remove(_ path: String) throws(FileError) { try behind.remove(path) }
    package func rename(_ path: String, to newPath: String) throws(FileError) {
        try behind.rename(path, to: newPath)
    }
    package func exchange(_ path: String, with otherPath: String) throws(FileError) {
        try behind.exchange(path, with: otherPath)
    }
    package func syncDirectory(_ path: String) throws(FileError) { try behind.syncDirectory(path) }
    package func lock(_ path: String) throws(FileError) -> any FileLock { try behind.lock(path) }
    package func watch(_ directory: String) throws(FileError) -> any DirectoryWatch { try behind.watch(directory) }
    package func networkFileSystem(at path: String) throws(FileError) -> String? {
        try behind.networkFileSystem(at: path)
    }
}

/// The same of a file.
package protocol FrontedFile: File {
    var behind: any File { get }
}

extension FrontedFile {
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileError) -> Int {
        try behind.read(into: buffer, at: offset)
    }
    package func write(_ bytes: RawSpan, at offset: Int64) throws(FileError) {
        try behind.write(bytes, at: offset)
    }
    package func allocate(_ size: Int64) throws(FileError) { try behind.allocate(size) }
    package func truncate(_ size: Int64) throws(FileError) { try behind.truncate(size) }
    package func size() throws(FileError) -> Int64 { try behind.size() }
    package func sync() throws(FileError) { try behind.sync() }
}
