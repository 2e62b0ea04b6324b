import FirnLog
import Synchronization

/// The disk, with somebody who hears of what is written and synced before it is, and may refuse.
final class HeardFileSystem: FileSystem, Sendable {
    enum Operation { case write, sync }
    typealias Listener = @Sendable (_ operation: Operation, _ path: String) throws(FileError) -> Void

    private let disk = PosixFileSystem()
    private let listener = Mutex<Listener?>(nil)

    /// Who hears from now on.
    func hear(_ new: Listener?) { listener.withLock { $0 = new } }

    fileprivate func tell(_ operation: Operation, _ path: String) throws(FileError) {
        try listener.withLock { $0 }?(operation, path)
    }

    func open(_ path: String, _ access: FileAccess) throws(FileError) -> any File {
        HeardFile(try disk.open(path, access), path, self)
    }

    func kind(of path: String) throws(FileError) -> FileKind? { try disk.kind(of: path) }
    func list(_ directory: String) throws(FileError) -> [String] { try disk.list(directory) }
    func createDirectory(_ path: String) throws(FileError) { try disk.createDirectory(path) }
    func remove(_ path: String) throws(FileError) { try disk.remove(path) }
    func rename(_ path: String, to newPath: String) throws(FileError) { try disk.rename(path, to: newPath) }
    func syncDirectory(_ path: String) throws(FileError) { try disk.syncDirectory(path) }
    func lock(_ path: String) throws(FileError) -> any FileLock { try disk.lock(path) }
    func watch(_ directory: String) throws(FileError) -> any DirectoryWatch { try disk.watch(directory) }
    func networkFileSystem(at path: String) throws(FileError) -> String? { try disk.networkFileSystem(at: path) }
}

private final class HeardFile: File {
    private let file: any File
    private let path: String
    private let fileSystem: HeardFileSystem

    init(_ file: any File, _ path: String, _ fileSystem: HeardFileSystem) {
        self.file = file
        self.path = path
        self.fileSystem = fileSystem
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileError) -> Int {
        try file.read(into: buffer, at: offset)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) {
        try fileSystem.tell(.write, path)
        try file.write(bytes, at: offset)
    }

    func allocate(_ size: Int64) throws(FileError) { try file.allocate(size) }
    func truncate(_ size: Int64) throws(FileError) { try file.truncate(size) }
    func size() throws(FileError) -> Int64 { try file.size() }

    func sync() throws(FileError) {
        try fileSystem.tell(.sync, path)
        try file.sync()
    }
}
