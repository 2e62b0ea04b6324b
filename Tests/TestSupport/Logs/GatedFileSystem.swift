package import FirnLog
import Foundation
package import Synchronization

/// A file system in memory whose syncs and writes a test can hold up.
package final class GatedFileSystem: FrontedFileSystem {
    package let syncs = Gate()
    /// Behind each write, also one that fails.
    package let writes = Gate()
    /// Whether syncs fail.
    package let isBroken = Atomic(false)
    /// So often a sync lets other threads run.
    private let yields: Int
    package let behind: any FileSystem

    package init(_ behind: any FileSystem = MemoryFileSystem(), yields: Int = 0) {
        self.behind = behind
        self.yields = yields
    }

    package func open(_ path: String, _ access: FileAccess) throws(FileError) -> any File {
        GatedFile(try behind.open(path, access), self)
    }

    private final class GatedFile: FrontedFile {
        let behind: any File
        private let system: GatedFileSystem

        init(_ file: any File, _ system: GatedFileSystem) {
            behind = file
            self.system = system
        }

        func write(_ bytes: RawSpan, at offset: Int64) throws(FileError) {
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
