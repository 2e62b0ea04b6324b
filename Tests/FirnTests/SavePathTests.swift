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
    /// The calls of this program's own functions on the stack, without those of libraries: the system's, the standard
    /// library's, Foundation's.
    private static func ownDepth() -> Int {
        Thread.callStackSymbols.filter { $0.contains("FirnPackageTests") }.count
    }

    /// The number of Documentation/Architecture.md.
    private static let framesMax = 15

    @Test("at most 15 functions stand between the save of a changed object and the write of the log's file")
    func frames() throws {
        let directory = try TemporaryDirectory()
        let depths = Mutex<[Int]>([])
        let files = HeardFileSystem()
        let coordinator = try Library.onDisk(directory, options: [PersistentStoreFileSystemOption: files])
        let context = coordinator.context()
        let author = context.make("Author", ["name": "Ada"])
        try context.save()
        author.setValue("Grace", forKey: "name")
        let other = try files.open(directory.path + "/other", .create)
        files.hear { call, _ in if call == .write { depths.withLock { $0.append(Self.ownDepth()) } } }
        try other.write([UInt8(1)].span.bytes, at: 0)
        try context.save()
        files.hear(nil)
        let found = depths.withLock { $0 }
        #expect(found.count == 2, "one write for a save")
        // From `save()` to the file's `write`, both counted, with what the compiler puts between them.
        let frames = try #require(found.last) - found[0] + 1
        #expect(frames <= Self.framesMax)
        #expect(frames > 5, "the stack was read")
    }
}
