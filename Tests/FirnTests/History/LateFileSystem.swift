import FirnLog
import Synchronization
import TestSupport

/// The disk, on which somebody writes right after a reader found nothing new, and whose watches hear of it late.
final class LateFileSystem: FrontedFileSystem {
    let behind: any FileSystem = PosixFileSystem()
    /// In front of each watch.
    let watches = Gate()
    private let interruption = Mutex<(@Sendable () -> Void)?>(nil)
    private let isListed = Atomic(false)

    /// Has `body` called once: behind the first read of a file after the folder was listed.
    func interrupt(_ body: @escaping @Sendable () -> Void) { interruption.withLock { $0 = body } }

    func list(_ directory: String) throws(FileError) -> [String] {
        if interruption.withLock({ $0 != nil }) { isListed.store(true, ordering: .relaxed) }
        return try behind.list(directory)
    }

    func watch(_ directory: String) throws(FileError) -> any DirectoryWatch {
        watches.pass()
        return try behind.watch(directory)
    }

    func open(_ path: String, _ access: FileAccess) throws(FileError) -> any File {
        LateFile(try behind.open(path, access), self)
    }

    private final class LateFile: FrontedFile {
        let behind: any File
        private let system: LateFileSystem

        init(_ file: any File, _ system: LateFileSystem) { (behind, self.system) = (file, system) }

        func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileError) -> Int {
            let count = try behind.read(into: buffer, at: offset)
            if system.isListed.exchange(false, ordering: .relaxed) { system.interruption.withLock { $0.take() }?() }
            return count
        }
    }
}
