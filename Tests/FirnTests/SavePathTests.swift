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
        files.hear { call, _ in
            if call == .write { depths.withLock { $0.append(Self.ownDepth()) } }
        }
        // The listener's own calls stand above the file's `write`: the listener, its thunk, `report` and `ownDepth`.
        let own = Self.ownDepth()
        try context.save()
        files.hear(nil)
        let frames = try #require(depths.withLock { $0 }.first) - own - Self.listenerDepth(files)
        #expect(depths.withLock { $0 }.count == 1, "one write")
        #expect(frames <= Self.framesMax)
        #expect(frames > 5, "the stack was read")
    }

    /// How many calls the listening itself adds.
    private static func listenerDepth(_ files: HeardFileSystem) throws -> Int {
        let depth = Mutex(0)
        let directory = try TemporaryDirectory()
        let file = try files.open(directory.path + "/one.segment", .create)
        files.hear { call, _ in if call == .write { depth.withLock { $0 = Self.ownDepth() } } }
        let own = Self.ownDepth()
        try file.write([UInt8(1)].span.bytes, at: 0)
        files.hear(nil)
        // The file's `write` is the last one that counts.
        return depth.withLock { $0 } - own - 1
    }
}
