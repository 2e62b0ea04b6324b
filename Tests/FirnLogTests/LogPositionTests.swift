import FirnLog
import Testing

@Suite("A position in a log")
struct LogPositionTests {
    @Test("is read as it is written, with and without a link")
    func text() throws {
        let position = LogPosition(41, link: 0x09AF_3C5E_7D10_2B84)
        #expect("\(position)" == "41-09af3c5e7d102b84")
        #expect("\(LogPosition(7, link: -1)) \(LogPosition(0))" == "7-ffffffffffffffff 0")
        for position in [position, LogPosition(7, link: -1), 0] {
            let read = try #require(LogPosition("\(position)"))
            #expect(read == position)
        }
    }

    @Test("is nothing else", arguments: ["", "x", "-1", "41-", "41-9af3c5e7d102b84", "41-+9af3c5e7d102b84", "41-09af-"])
    func refused(_ text: String) { #expect(LogPosition(text) == nil) }

    @Test("has the beginning of its record's link")
    func link() throws {
        let log = try SegmentLog.create(directory: "/log", storeID: Samples.storeID, fileSystem: MemoryFileSystem(),
            date: Samples.date)
        try log.exclusively {
            _ = try log.append(.model(Samples.model), header: Samples.header())
            _ = try log.append(.reservation([:]), header: Samples.header())
        }
        for number in 1...2 as ClosedRange<UInt64> {
            let (sequence, link) = (SequenceNumber(number), try log.frame(at: SequenceNumber(number)).link)
            #expect("\(log.position(of: sequence))" == "\(number)-\("\(link)".prefix(16))")
            #expect(try log.record(at: sequence).position.link == log.position(of: sequence).link)
        }
        #expect(log.position(of: 3).link == nil)
        #expect(log.agrees(with: 2) && log.agrees(with: 0) && !log.agrees(with: 3))
        #expect(!log.agrees(with: LogPosition(1, link: log.position(of: 2).link)))
    }
}
