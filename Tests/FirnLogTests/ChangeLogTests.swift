import FirnLog
import Synchronization
import TestSupport
import Testing

@Suite("A log in segments, as any log")
struct ChangeLogTests {
    @Test("keeps the contract", arguments: LogCheck.all, [4096, 16 << 20])
    func contract(_ check: LogCheck, segmentSize: Int64) throws {
        try check.run(SegmentHost(segmentSize: segmentSize))
    }

    @Test("frames that another log synced are no witnesses here before they are synced")
    func unsynced() throws {
        let files = MemoryFileSystem()
        let options = LogOptions(durability: .system)
        let log = try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, options: options, fileSystem: files, date: 0)
        try log.save("one", "two", "three")
        // The second record never came to the disk, the third did.
        let second = try log.frame(at: 2)
        let file = try files.open(second.path, .write)
        try [UInt8](repeating: 0, count: 32).withUnsafeBytes { try file.write($0.bytes, at: second.offset) }
        let again = try SegmentLog.open(directory: "/log", forWriting: true, fileSystem: files)
        #expect(again.head == 1)
    }

    @Test("a record that is dated before the one before it is told by verify")
    func fallingDates() throws {
        let log = try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, fileSystem: MemoryFileSystem(), date: 0)
        func record(_ date: Int64) -> (body: LogRecord.Body, header: TransactionHeader) {
            (.reservation([:]), TransactionHeader(date: date, id: TransactionID(high: 0, low: 0)))
        }
        _ = try log.append(FrameEncoder().run([record(200)], after: log.end()))
        #expect(try LogMaintenance(log).verify().isSound)
        var start = try log.end()
        start.date = 0  // a writer that does not know how late it is
        _ = try log.append(FrameEncoder().run([record(100)], after: start))
        let problems = try LogMaintenance(log).verify().problems
        #expect(problems.map(\.sequence) == [2], "the second record is told, and nothing else")
        #expect(problems.first?.expected == "200" && problems.first?.found == "100")
    }

    @Test("a run with a flipped byte anywhere is refused")
    func flips() throws {
        let start = LogCheckpoint.beginning(of: Samples.storeID)
        let run = try FrameEncoder().run([LogSamples.record("one"), LogSamples.record("two")], after: start)
        for place in run.bytes.indices {
            // How much was durable is not chained, and has the header's checksum only.
            var bytes = run.bytes
            bytes[place] ^= 1
            #expect(throws: LogError.self, "byte \(place)") {
                try FrameRun(checking: bytes, after: start, place: "test")
            }
        }
    }

    @Test("a run that was cut anywhere but between frames is refused")
    func cuts() throws {
        let start = LogCheckpoint.beginning(of: Samples.storeID)
        let run = try FrameEncoder().run([LogSamples.record("one"), LogSamples.record("two")], after: start)
        let ends = Set(run.frames.map(\.range.upperBound) + [0])
        for count in run.bytes.indices {
            let bytes = Array(run.bytes[..<count])
            let checked = try? FrameRun(checking: bytes, after: start, place: "test")
            #expect((checked != nil) == ends.contains(count), "\(count) bytes")
        }
    }
}

/// Keeps a log in memory.
private struct SegmentHost: LogHost {
    let files = MemoryFileSystem()
    let segmentSize: Int64

    var description: String { "segments of \(segmentSize) bytes" }

    func create(_ storeID: StoreID) throws -> any ChangeLog {
        try SegmentLog.create(
            directory: "/log", storeID: storeID, options: LogOptions(segmentSize: segmentSize), fileSystem: files,
            date: LogSamples.date)
    }

    func open() throws -> any ChangeLog {
        try SegmentLog.open(
            directory: "/log", forWriting: true, options: LogOptions(segmentSize: segmentSize), fileSystem: files)
    }
}
