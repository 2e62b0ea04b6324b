import FirnLog
import Testing

@Suite("The space that a log's file allocates in advance")
struct PreallocationTests {
    private let files = MemoryFileSystem()
    private let log: SegmentLog

    init() throws {
        log = try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, fileSystem: files, date: Samples.date)
    }

    private var size: Int64 {
        get throws { try files.open("/log/00000000000000000001.segment", .read).size() }
    }

    @Test("is small at first, and is doubled as it is used")
    func growing() throws {
        #expect(try size == 64 << 10)
        var sizes: Set<Int64> = []
        while try log.statistics().frameSize < 300 << 10 {
            for key in 1...50 { try log.save(Samples.oneNote(Int64(key))) }
            sizes.insert(try size)
        }
        #expect(sizes == [64 << 10, 128 << 10, 256 << 10, 512 << 10])
    }

    @Test("of another writer is used, too")
    func twoWriters() throws {
        let other = try SegmentLog.open(directory: "/log", forWriting: true, fileSystem: files)
        for key in 1...400 {
            try log.save(Samples.oneNote(Int64(2 * key)))
            try other.save(Samples.oneNote(Int64(2 * key + 1)))
        }
        #expect(try files.list("/log").filter { $0.hasSuffix("segment") }.count == 1)
        #expect(try log.all().count == 800)
        #expect(try size < 512 << 10)
    }

    @Test("is taken again after a torn tail was cut off, as much as the records before it need")
    func afterRecovery() throws {
        try log.save(Samples.oneNote(1))
        let end = try log.frame(at: 1)
        let file = try files.open("/log/00000000000000000001.segment", .write)
        try [UInt8](repeating: 7, count: 40).withUnsafeBytes { bytes in
            try file.write(bytes.bytes, at: end.offset + Int64(end.frameSize))
        }
        let again = try SegmentLog.open(directory: "/log", forWriting: true, fileSystem: files)
        #expect(again.head == 1)
        #expect(try size == 64 << 10)
    }
}
