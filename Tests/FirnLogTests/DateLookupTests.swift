import FirnLog
import TestSupport
import Testing

@Suite("The last record of a date")
struct DateLookupTests {
    private let files = MemoryFileSystem()

    private func create(segmentSize: Int64 = 4096) throws -> SegmentLog {
        try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, options: LogOptions(segmentSize: segmentSize),
            fileSystem: files, date: Samples.date)
    }

    private func save(_ log: SegmentLog, _ key: Int64, at date: Int64) throws {
        var header = Samples.header(UInt64(key))
        header.date = date
        try log.exclusively { _ = try log.append(Samples.oneNote(key), header: header) }
    }

    @Test("is found where records of one date are on both sides of a segment's end")
    func equalDates() throws {
        let log = try create()
        for key in 1...60 as ClosedRange<Int64> { try save(log, key, at: Samples.date + 5) }
        #expect(try log.sequence(atOrBefore: Samples.date + 5) == 60)
        #expect(try log.sequence(atOrBefore: Samples.date + 4) == 0)
    }

    @Test(
        "is the last one that is not later, for every date of a log of many segments, and of one",
        arguments: [4096, 1 << 20] as [Int64])
    func everyDate(segmentSize: Int64) throws {
        let log = try create(segmentSize: segmentSize)
        var random = SeededGenerator(seed: 7)
        var date = Samples.date + 10
        for key in 1...300 as ClosedRange<Int64> {
            try save(log, key, at: date)
            if random.next() % 4 == 0 { date += 2 }
        }
        let records = try log.all()
        for asked in Samples.date + 8...date + 2 {
            let expected = records.last { $0.header.date <= asked }?.sequence ?? 0
            #expect(try log.sequence(atOrBefore: asked) == expected, "\(asked - Samples.date)")
        }
    }

    @Test("does not depend on the order in which records are asked for", arguments: [4096, 1 << 20] as [Int64])
    func anyOrder(segmentSize: Int64) throws {
        let log = try create(segmentSize: segmentSize)
        for key in 1...300 as ClosedRange<Int64> { try save(log, key, at: Samples.date + 10) }
        let reader = try log.records(after: .zero)
        var expected: [FrameInfo] = []
        while let frame = try reader.nextFrameInfo() { expected.append(frame) }
        #expect(expected.count == 300)
        var random = SeededGenerator(seed: 11)
        for frame in (expected + expected).shuffled(using: &random) {
            #expect(try log.frame(at: frame.sequence) == frame)
        }
        let reopened = try SegmentLog.open(
            directory: "/log", forWriting: false, options: LogOptions(), fileSystem: files)
        for frame in expected.shuffled(using: &random) { #expect(try reopened.frame(at: frame.sequence) == frame) }
    }
}
