import FirnLog
import Foundation
import Synchronization
import TestSupport

/// A file system in memory whose syncs and writes a test can hold up.
final class GatedFileSystem: FrontedFileSystem {
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
    let behind: any FileSystem = MemoryFileSystem()

    func open(_ path: String, _ access: FileAccess) throws(FileError) -> any File {
        GatedFile(try behind.open(path, access), self)
    }

    private final class GatedFile: FrontedFile {
        let behind: any File
        private let system: GatedFileSystem

        init(_ file: any File, _ system: GatedFileSystem) {
            behind = file
            self.system = system
        }

        func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) {
            try behind.write(bytes, at: offset)
            system.writes.pass()
        }

        func sync() throws(FileError) {
            system.syncs.pass()
            if system.isBroken.load(ordering: .acquiring) { throw FileError("sync it", path: "/log", errno: EIO) }
            try behind.sync()
        }
    }
}
