import FirnLog
import Synchronization
import TestSupport

/// The disk, with somebody who hears of what is written and synced before it is, and may refuse.
final class HeardFileSystem: FrontedFileSystem {
    enum Operation { case write, sync }
    typealias Listener = @Sendable (_ operation: Operation, _ path: String) throws(FileError) -> Void

    let behind: any FileSystem = PosixFileSystem()
    private let listener = Mutex<Listener?>(nil)

    /// Who hears from now on.
    func hear(_ new: Listener?) { listener.withLock { $0 = new } }

    fileprivate func tell(_ operation: Operation, _ path: String) throws(FileError) {
        try listener.withLock { $0 }?(operation, path)
    }

    func open(_ path: String, _ access: FileAccess) throws(FileError) -> any File {
        HeardFile(try behind.open(path, access), path, self)
    }
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

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) {
        try fileSystem.tell(.write, path)
        try behind.write(bytes, at: offset)
    }

    func sync() throws(FileError) {
        try fileSystem.tell(.sync, path)
        try behind.sync()
    }
}
