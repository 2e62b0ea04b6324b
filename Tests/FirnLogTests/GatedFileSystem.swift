import FirnLog
import Foundation
import Synchronization

/// A file system in memory whose syncs and writes a test can hold up.
final class GatedFileSystem: FileSystem {
    /// A place that threads pass, or stop at until they are let through.
    final class Gate: Sendable {
        private let isClosed = Atomic(false)
        private let arrived = DispatchSemaphore(value: 0)
        private let opened = DispatchSemaphore(value: 0)
        private let passes = Atomic(0)

        var count: Int { passes.load(ordering: .relaxed) }

        /// Stops the next thread that comes.
        func close() { isClosed.store(true, ordering: .releasing) }
        /// Returns when a thread is stopped here.
        func waitForArrival() { arrived.wait() }
        /// Lets the thread go on that is stopped.
        func open() { opened.signal() }

        fileprivate func pass() {
            passes.add(1, ordering: .relaxed)
            guard isClosed.exchange(false, ordering: .acquiringAndReleasing) else { return }
            arrived.signal()
            opened.wait()
        }
    }

    let syncs = Gate()
    /// Behind each write.
    let writes = Gate()
    /// Whether syncs fail.
    let isBroken = Atomic(false)
    private let files = MemoryFileSystem()

    func open(_ path: String, _ access: FileAccess) throws(FileError) -> any File {
        GatedFile(try files.open(path, access), self)
    }

    func kind(of path: String) throws(FileError) -> FileKind? { try files.kind(of: path) }
    func list(_ directory: String) throws(FileError) -> [String] { try files.list(directory) }
    func createDirectory(_ path: String) throws(FileError) { try files.createDirectory(path) }
    func remove(_ path: String) throws(FileError) { try files.remove(path) }
    func rename(_ path: String, to newPath: String) throws(FileError) { try files.rename(path, to: newPath) }
    func syncDirectory(_ path: String) throws(FileError) { try files.syncDirectory(path) }
    func lock(_ path: String) throws(FileError) -> any FileLock { try files.lock(path) }
    func watch(_ directory: String) throws(FileError) -> any DirectoryWatch { try files.watch(directory) }
    func networkFileSystem(at path: String) throws(FileError) -> String? { nil }

    private final class GatedFile: File {
        private let file: any File
        private let system: GatedFileSystem

        init(_ file: any File, _ system: GatedFileSystem) {
            self.file = file
            self.system = system
        }

        func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileError) -> Int {
            try file.read(into: buffer, at: offset)
        }

        func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) {
            try file.write(bytes, at: offset)
            system.writes.pass()
        }

        func allocate(_ size: Int64) throws(FileError) { try file.allocate(size) }
        func truncate(_ size: Int64) throws(FileError) { try file.truncate(size) }
        func size() throws(FileError) -> Int64 { try file.size() }

        func sync() throws(FileError) {
            system.syncs.pass()
            if system.isBroken.load(ordering: .acquiring) { throw FileError("sync it", path: "/log", errno: EIO) }
            try file.sync()
        }
    }
}
