import FirnLog
import Testing

@Suite("A log in segments")
struct SegmentLogTests {
    private func create(
        _ files: any FileSystem = MemoryFileSystem(), options: LogOptions = LogOptions()
    ) throws -> SegmentLog {
        try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, options: options, fileSystem: files,
            date: Samples.date)
    }

    @Test("is no copy of a shared one if it is made where such a copy was begun")
    func begunCopy() throws {
        let files = MemoryFileSystem()
        try files.createDirectory("/log")
        _ = try files.open("/log/" + Format.sharedPlaceName, .create)
        _ = try create(files)
        #expect(try !SegmentLog.isCopy(directory: "/log", fileSystem: files))
    }

    @Test("gives back what was appended, after it is opened again")
    func reopening() throws {
        let files = MemoryFileSystem()
        let log = try create(files)
        try log.save(.model(Samples.model), Samples.oneNote(1), .reservation([EntityNumber(1): 7]))
        let again = try SegmentLog.open(directory: "/log", forWriting: true, fileSystem: files)
        #expect(again.storeID == Samples.storeID)
        #expect(again.head == 3)
        let records = try again.all()
        #expect(records.map(\.sequence) == [1, 2, 3])
        #expect(records.map(\.body) == [.model(Samples.model), Samples.oneNote(1), .reservation([EntityNumber(1): 7])])
        #expect(records.map(\.header) == [1, 2, 3].map { Samples.header($0) })
        #expect(try again.currentModel?.sequence == 1)
    }

    @Test("goes on in new segments and reads across them")
    func rolling() throws {
        let files = MemoryFileSystem()
        let log = try create(files, options: LogOptions(segmentSize: 4096))
        for key in 1...100 { try log.save(Samples.oneNote(Int64(key))) }
        #expect(try files.list("/log").count > 3)
        #expect(try log.all().map(\.body) == (1...100).map { Samples.oneNote($0) })
        let again = try SegmentLog.open(directory: "/log", forWriting: false, fileSystem: files)
        #expect(again.head == 100)
        #expect(try again.record(at: 50).body == Samples.oneNote(50))
    }

    @Test("shows the records of one writer to another one and to a reader")
    func twoWriters() throws {
        let files = MemoryFileSystem()
        let first = try create(files, options: LogOptions(segmentSize: 4096))
        let second = try SegmentLog.open(
            directory: "/log", forWriting: true, options: LogOptions(segmentSize: 4096), fileSystem: files)
        let reader = try SegmentLog.open(directory: "/log", forWriting: false, fileSystem: files)
        for key in stride(from: 1, to: 80, by: 2) {
            try first.save(Samples.oneNote(Int64(key)))
            try second.save(Samples.oneNote(Int64(key + 1)))
        }
        #expect(try reader.refresh() == 80)
        #expect(try reader.all().map(\.body) == (1...80).map { Samples.oneNote($0) })
    }

    @Test("takes less than 200 bytes for a change set of one small object")
    func smallChangeSet() throws {
        let log = try create()
        try log.save(.model(Samples.model), Samples.oneNote(1))
        let frame = try log.frame(at: 2)
        #expect(frame.frameSize == 160)
    }
}
