import FirnLog
import TestSupport
import Testing

@Suite("The last record of a date")
struct DateLookupTests {
    private func create() throws -> SegmentLog {
        try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, options: LogOptions(segmentSize: 4096),
            fileSystem: MemoryFileSystem(), date: Samples.date)
    }

    private func save(_ log: SegmentLog, _ key: Int64, at date: Int64) throws {
        var header = Samples.header(UInt64(key))
        header.date = date
        try log.withWriterLock { _ = try $0.append(Samples.oneNote(key), header: header) }
    }

    @Test("is found where records of one date are on both sides of a segment's end")
    func equalDates() throws {
        let log = try create()
        for key in 1...60 as ClosedRange<Int64> { try save(log, key, at: Samples.date + 5) }
        #expect(try log.sequence(atOrBefore: Samples.date + 5) == 60)
        #expect(try log.sequence(atOrBefore: Samples.date + 4) == 0)
    }

    @Test("is the last one that is not later, for every date of a log of many segments")
    func everyDate() throws {
        let log = try create()
        var random = SeededGenerator(seed: 7)
        var date = Samples.date + 10
        for key in 1...120 as ClosedRange<Int64> {
            try save(log, key, at: date)
            if random.next() % 4 == 0 { date += 2 }
        }
        let records = try log.all()
        for asked in Samples.date + 8...date + 2 {
            let expected = records.last { $0.header.date <= asked }?.sequence ?? 0
            #expect(try log.sequence(atOrBefore: asked) == expected, "\(asked - Samples.date)")
        }
    }
}
