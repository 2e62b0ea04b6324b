import FirnLog
import TestSupport
import Testing

@Suite("A log whose small payloads share a dictionary")
struct DictionaryTests {
    private static let options = LogOptions(segmentSize: 4096)
    private static let words = Array("Buy milk and bread Ada Lovelace git-history the title of a note number ".utf8)

    private func create(_ files: SimulatedFileSystem) throws -> SegmentLog {
        let log = try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, options: Self.options, fileSystem: files, date: Samples.date)
        try log.save(.model(Samples.model))
        return log
    }

    private func open(_ files: SimulatedFileSystem, forWriting: Bool = true) throws -> SegmentLog {
        try SegmentLog.open(
            directory: "/log", forWriting: forWriting, options: Self.options, fileSystem: files)
    }

    private func add(_ log: SegmentLog, _ keys: ClosedRange<Int64>) throws {
        for key in keys { try log.save(Samples.oneNote(key, title: "the title of a note number \(key)")) }
    }

    private func dictionaries(_ files: SimulatedFileSystem) throws -> [String] {
        try files.list("/log").filter { $0.contains(".dictionary") }
    }

    /// The numbers of the records that are not cut off.
    private func sequences(_ log: SegmentLog) throws -> [SequenceNumber] {
        let reader = try log.records(after: log.baseline)
        var sequences: [SequenceNumber] = []
        while let record = try reader.next() { sequences.append(record.sequence) }
        return sequences
    }

    /// Five notes without, five with a dictionary.
    private func sample(_ files: SimulatedFileSystem) throws -> SegmentLog {
        let log = try create(files)
        try add(log, 1...5)
        #expect(try LogMaintenance(log).adopt(dictionary: Self.words))
        try add(log, 6...10)
        return log
    }

    @Test("reads the same before and after, and takes less space")
    func roundTrip() throws {
        let files = SimulatedFileSystem(seed: 1)
        let log = try sample(files)
        #expect(try log.frame(at: 10).storedSize < log.frame(at: 5).storedSize - 20)
        let again = try open(files, forWriting: false)
        #expect(try again.all() == log.all())
        #expect(try again.all().count == 11)
        #expect(try LogMaintenance(again).verify().isSound)
        #expect(try again.record(at: 11).body == Samples.oneNote(10, title: "the title of a note number 10"))
    }

    @Test("uses it in the next segments too, in this program and in another one, packed or not")
    func nextSegments() throws {
        let files = SimulatedFileSystem(seed: 1)
        let log = try sample(files)
        let other = try open(files)
        try add(log, 11...60)
        try add(other, 61...62)
        let reader = try open(files, forWriting: false)
        let records = try reader.all()
        #expect(records.count == 63)
        #expect(try reader.frame(at: 63).storedSize < reader.frame(at: 3).storedSize - 20)
        #expect(try dictionaries(files).count == 1)
        try LogMaintenance(log).pack()
        #expect(try open(files, forWriting: false).all() == records)
        #expect(try LogMaintenance(open(files)).verify().isSound)
    }

    @Test("says where the damage is when any byte of the dictionary is another one, or missing")
    func damagedDictionary() throws {
        let files = SimulatedFileSystem(seed: 1)
        _ = try sample(files)
        let path = "/log/" + (try #require(dictionaries(files).first))
        for index in Self.words.indices {
            var flipped = Self.words
            flipped[index] ^= 1 << UInt8(index % 8)
            for bytes in [flipped, Array(Self.words[..<index])] {
                files.replace(path, with: bytes)
                let error = #expect(throws: LogError.self) { try open(files) }
                #expect(error?.code == .damaged && error?.path == path, "byte \(index)")
            }
        }
        try files.remove(path)
        let error = #expect(throws: LogError.self) { try open(files, forWriting: false) }
        #expect(error?.code == .missing && error?.path == path)
    }

    @Test("finds every flipped byte of a segment that uses it")
    func flippedBytes() throws {
        let files = SimulatedFileSystem(seed: 1)
        let log = try sample(files)
        try log.save(Samples.oneNote(11))
        let last = try log.frame(at: 12)
        let sound = files.contents(last.path)
        for index in 0..<Int(last.offset) {
            var bytes = sound
            bytes[index] ^= 1 << UInt8(index % 8)
            files.replace(last.path, with: bytes)
            let error = #expect(throws: LogError.self, "byte \(index)") { try open(files) }
            #expect(error?.path == last.path, "byte \(index)")
        }
    }

    @Test("keeps it through a trim in the middle of a segment, and loses it with the last segment that names it")
    func trimming() throws {
        let files = SimulatedFileSystem(seed: 1)
        let log = try sample(files)
        let links = try log.frame(at: 11).link
        try LogMaintenance(log).trim(through: 8) { try $0(.keys([:])) }
        #expect(try sequences(log) == [9, 10, 11])
        #expect(try LogMaintenance(open(files)).verify().isSound)
        #expect(try log.frame(at: 11).link == links)
        #expect(try LogMaintenance(log).adopt(dictionary: Array("something else altogether".utf8)))
        try add(log, 11...12)
        #expect(try dictionaries(files).count == 2)
        try LogMaintenance(log).trim(through: 12) { try $0(.keys([:])) }
        #expect(try dictionaries(files).count == 1)
        #expect(try sequences(open(files)) == [13])
    }

    @Test(
        "loses nothing acknowledged, wherever the power goes while it takes a dictionary",
        arguments: [1, 2] as [UInt64])
    func crashes(seed: UInt64) throws {
        let trial = SimulatedFileSystem(seed: seed)
        _ = try sample(trial)
        for step in 1...trial.steps {
            let files = SimulatedFileSystem(seed: seed &* 1000 + UInt64(step))
            files.fault = .crash
            files.faultStep = step
            _ = try? sample(files)
            let survivor = files.afterCrash()
            guard try SegmentLog.exists(directory: "/log", fileSystem: survivor) else { continue }
            let log = try open(survivor)
            if log.head == .zero { try log.save(.model(Samples.model)) }
            let count = try log.all().count
            try log.save(Samples.oneNote(99))
            #expect(try open(survivor).all().count == count + 1, "seed \(seed), step \(step)")
            #expect(try LogMaintenance(log).verify().isSound, "seed \(seed), step \(step)")
            #expect(try dictionaries(survivor).allSatisfy { !$0.hasSuffix(".tmp") }, "seed \(seed), step \(step)")
        }
    }

    @Test("gives it to a log that pulls from it, with the same chain")
    func pulling() throws {
        let files = SimulatedFileSystem(seed: 1)
        let log = try sample(files)
        let copy = try SegmentLog.create(
            directory: "/copy", storeID: Samples.storeID, options: Self.options, fileSystem: files, date: Samples.date)
        #expect(try copy.pull(from: log, sizeMax: 300) == log.end())
        #expect(try copy.all() == log.all())
        let run = try log.frames(after: LogCheckpoint.beginning(of: Samples.storeID), sizeMax: 1 << 20)
        #expect(run.dictionary == nil && run.end.sequence == 6)
        let next = try log.frames(after: run.end, sizeMax: 1 << 20)
        #expect(next.dictionary == Self.words)
        let checked = try FrameRun(checking: next.bytes, after: run.end, dictionary: next.dictionary, place: "memory")
        #expect(try FrameDecoder().records(checked, place: "memory") == log.all().suffix(5))
        #expect(throws: LogError.self) { try FrameRun(checking: next.bytes, after: run.end, place: "memory") }
    }

    @Test("begins a log that has no record yet with it, and others find it there")
    func emptySegment() throws {
        let files = SimulatedFileSystem(seed: 1)
        let log = try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, options: Self.options, fileSystem: files, date: Samples.date)
        let writer = try open(files)
        let reader = try open(files, forWriting: false)
        #expect(try LogMaintenance(log).adopt(dictionary: Self.words))
        try writer.save(.model(Samples.model))
        try add(writer, 1...3)
        #expect(try reader.refresh() == 4)
        #expect(try log.refresh() == 4)
        #expect(try reader.all() == log.all())
        #expect(try dictionaries(files).count == 1)
    }
}
