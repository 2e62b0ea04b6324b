import FirnLog
import Foundation
import Synchronization
import TestSupport

/// A file system in memory whose syncs and writes a test can hold up.
final class GatedFileSystem: FrontedFileSystem {
    let syncs = Gate()
    /// Behind each write, also one that fails.
    let writes = Gate()
    /// Whether syncs fail.
    let isBroken = Atomic(false)
    /// So often a sync lets other threads run.
    private let yields: Int
    let behind: any FileSystem

    init(_ behind: any FileSystem = MemoryFileSystem(), yields: Int = 0) {
        self.behind = behind
        self.yields = yields
    }

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
            defer { system.writes.pass() }
            try behind.write(bytes, at: offset)
        }

        func sync() throws(FileError) {
            system.syncs.pass()
            for _ in 0..<system.yields { sched_yield() }
            if system.isBroken.load(ordering: .acquiring) { throw FileError("sync it", path: "/log", errno: EIO) }
            try behind.sync()
        }
    }
}
