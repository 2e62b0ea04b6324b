import FirnLog
import TestSupport
import Testing

/// Whoever remembers how far a log was durable and whole need not have all of it read again.
@Suite("Opening a log that was checked up to a record")
struct OpeningTests {
    private let files = SimulatedFileSystem(seed: 2)
    private let path = "/log/00000000000000000001.segment"

    /// A log of so many records, the model's included.
    private func log(records: Int) throws -> SegmentLog {
        let log = try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, fileSystem: files, date: Samples.date)
        try log.save(.model(Samples.model))
        for key in 2...records { try log.save(Samples.oneNote(Int64(key))) }
        return log
    }

    private func open(checked: SequenceNumber, forWriting: Bool = true) throws -> SegmentLog {
        try SegmentLog.open(directory: "/log", forWriting: forWriting, checked: checked, fileSystem: files)
    }

    private func flipBit(at offset: Int) {
        var bytes = files.contents(path)
        bytes[offset] ^= 1
        files.replace(path, with: bytes)
    }

    @Test("finds the same end, model and link, whatever was checked", arguments: [false, true])
    func sameEnd(forWriting: Bool) throws {
        let log = try log(records: 20)
        for checked in [0, 1, 2, 19, 20, 21, 500] as [SequenceNumber] {
            let again = try open(checked: checked, forWriting: forWriting)
            #expect(again.mark.head == log.mark.head && again.mark.link == log.mark.link, "checked \(checked)")
            #expect(try again.currentModel?.sequence == 1, "checked \(checked)")
            #expect(try again.all().count == 20, "checked \(checked)")
        }
        let again = try open(checked: 20)
        try again.save(Samples.oneNote(21))
        #expect(try LogMaintenance(again).verify().isSound && again.head == 21)
    }

    @Test("cuts off what is torn behind that record, and nothing else")
    func torn() throws {
        let last = try log(records: 20).frame(at: 20)
        flipBit(at: Int(last.offset) + 40)
        let again = try open(checked: 19)
        #expect(again.head == 19)
        #expect(try LogMaintenance(again).verify().isSound)
    }

    @Test("leaves damage before that record to whoever reads it")
    func damage() throws {
        let frame = try log(records: 20).frame(at: 7)
        flipBit(at: Int(frame.offset) + 40)
        let again = try open(checked: 20)
        #expect(again.head == 20)
        let error = #expect(throws: LogError.self) { try again.all() }
        #expect(error?.code == .damaged && error?.sequence == 7)
        #expect(try !LogMaintenance(again).verify().isSound)
        #expect(throws: LogError.self) { try open(checked: 0) }
    }

    @Test("reads all where a header is not what it was")
    func header() throws {
        let frame = try log(records: 20).frame(at: 7)
        flipBit(at: Int(frame.offset) + 17)
        let error = #expect(throws: LogError.self) { try open(checked: 20) }
        #expect(error?.code == .damaged && error?.sequence == 7)
    }
}
