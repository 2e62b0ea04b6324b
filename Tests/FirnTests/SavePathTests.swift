import Firn
import FirnLog
import FirnStore
import Foundation
import StoreSupport
import Synchronization
import TestSupport
import Testing

@Suite("The way of a save")
struct SavePathTests {
    /// The disk, which notes how deep the stack is at each write.
    private final class NotingFileSystem: FrontedFileSystem {
        let behind: any FileSystem = PosixFileSystem()
        let depths = Mutex<[Int]>([])

        func open(_ path: String, _ access: FileAccess) throws(FileError) -> any File {
            NotingFile(try behind.open(path, access), self)
        }
    }

    private final class NotingFile: FrontedFile {
        let behind: any File
        private let fileSystem: NotingFileSystem

        init(_ file: any File, _ fileSystem: NotingFileSystem) {
            behind = file
            self.fileSystem = fileSystem
        }

        func write(_ bytes: RawSpan, at offset: Int64) throws(FileError) {
            // Only this program's functions: those of libraries are left out.
            let depth = Thread.callStackSymbols.filter { $0.contains("FirnPackageTests") }.count
            fileSystem.depths.withLock { $0.append(depth) }
            try behind.write(bytes, at: offset)
        }
    }

    /// The number of Documentation/Architecture.md.
    private static let framesMax = 15

    @Test("at most 15 functions stand between the save of a changed object and the write of the log's file")
    func frames() throws {
        let directory = try TemporaryDirectory()
        let files = NotingFileSystem()
        let coordinator = try Library.onDisk(directory, options: [PersistentStoreFileSystemOption: files])
        let context = coordinator.context()
        let author = context.make("Author", ["name": "Ada"])
        try context.save()
        author.setValue("Grace", forKey: "name")
        let other = try files.open(directory.path + "/other", .create)
        files.depths.withLock { $0 = [] }
        try other.write([UInt8(1)].span.bytes, at: 0)
        try context.save()
        let depths = files.depths.withLock { $0 }
        #expect(depths.count == 2, "one write for a save")
        // From `save()` to the file's `write`, both counted, with what the compiler puts between them.
        let frames = try #require(depths.last) - depths[0] + 1
        #expect(frames <= Self.framesMax)
        #expect(frames > 5, "the stack was read")
    }
}
