package import FirnLog
import Synchronization

/// The disk, with a listener that hears of each change before it is made, and may refuse it.
package final class HeardFileSystem: FrontedFileSystem {
    package enum Call {
        case create, createDirectory, remove, rename, exchange, syncDirectory, acquireLock
        case write, allocate, truncate, sync
        /// After the fact. What the listener throws is ignored.
        case synced, releasedLock
    }
    package typealias Listener = @Sendable (_ call: Call, _ path: String) throws(FileError) -> Void

    package let behind: any FileSystem = PosixFileSystem()
    private let listener = Mutex<Listener?>(nil)

    package init(_ listener: Listener? = nil) { hear(listener) }

    /// Who hears from now on.
    package func hear(_ new: Listener?) { listener.withLock { $0 = new } }

    fileprivate func report(_ call: Call, _ path: String) throws(FileError) {
        try listener.withLock { $0 }?(call, path)
    }

    package func open(_ path: String, _ access: FileAccess) throws(FileError) -> any File {
        if access == .create { try report(.create, path) }
        return HeardFile(try behind.open(path, access), path, self)
    }

    package func createDirectory(_ path: String) throws(FileError) {
        try report(.createDirectory, path)
        try behind.createDirectory(path)
    }

    package func remove(_ path: String) throws(FileError) {
        try report(.remove, path)
        try behind.remove(path)
    }

    package func rename(_ path: String, to newPath: String) throws(FileError) {
        try report(.rename, path)
        try behind.rename(path, to: newPath)
    }

    package func exchange(_ path: String, with otherPath: String) throws(FileError) {
        try report(.exchange, path)
        try behind.exchange(path, with: otherPath)
    }

    package func syncDirectory(_ path: String) throws(FileError) {
        try report(.syncDirectory, path)
        try behind.syncDirectory(path)
    }

    package func lock(_ path: String) throws(FileError) -> any FileLock { HeardLock(try behind.lock(path), path, self) }
}

private final class HeardFile: FrontedFile {
    let behind: any File
    private let path: String
    private let fileSystem: HeardFileSystem

    init(_ file: any File, _ path: String, _ fileSystem: HeardFileSystem) {
        behind = file
        self.path = path
        self.fileSystem = fileSystem
    }

    func write(_ bytes: RawSpan, at offset: Int64) throws(FileError) {
        try fileSystem.report(.write, path)
        try behind.write(bytes, at: offset)
    }

    func allocate(_ size: Int64) throws(FileError) {
        try fileSystem.report(.allocate, path)
        try behind.allocate(size)
    }

    func truncate(_ size: Int64) throws(FileError) {
        try fileSystem.report(.truncate, path)
        try behind.truncate(size)
    }

    func sync() throws(FileError) {
        try fileSystem.report(.sync, path)
        try behind.sync()
        try? fileSystem.report(.synced, path)
    }
}

private final class HeardLock: FileLock {
    private let behind: any FileLock
    private let path: String
    private let fileSystem: HeardFileSystem

    init(_ lock: any FileLock, _ path: String, _ fileSystem: HeardFileSystem) {
        behind = lock
        self.path = path
        self.fileSystem = fileSystem
    }

    func acquire(waiting: Bool) throws(FileError) -> Bool {
        try fileSystem.report(.acquireLock, path)
        return try behind.acquire(waiting: waiting)
    }

    func release() {
        behind.release()
        try? fileSystem.report(.releasedLock, path)
    }
}
