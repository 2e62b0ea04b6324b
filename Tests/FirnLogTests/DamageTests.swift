import FirnLog
import TestSupport
import Testing

/// Every truncation and every flipped byte of a small log is found, or does no harm.
@Suite("A damaged log")
struct DamageTests {
    private static let path = "/log/00000000000000000001.segment"
    private static let options = LogOptions(segmentSize: 4096)

    /// A log of five records, each synced by itself, and its bytes.
    private func golden() throws -> (files: SimulatedFileSystem, bytes: [UInt8], frames: [FrameInfo]) {
        let files = SimulatedFileSystem(seed: 1)
        let log = try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, options: Self.options, fileSystem: files,
            date: Samples.date)
        try log.save(.model(Samples.model))
        try log.save(Samples.oneNote(1))
        try log.save(.reservation([EntityNumber(1): 7]))
        try log.save(Samples.oneNote(2, title: String(repeating: "long ", count: 40)))
        try log.save(Samples.oneNote(3))
        let frames = try (1...5 as ClosedRange<UInt64>).map { try log.frame(at: SequenceNumber($0)) }
        return (files, files.contents(Self.path), frames)
    }

    private func open(
        _ files: SimulatedFileSystem, forWriting: Bool, atLeast: SequenceNumber = .zero
    ) throws -> SegmentLog {
        try SegmentLog.open(
            directory: "/log", forWriting: forWriting, atLeast: atLeast, options: Self.options,
            fileSystem: files)
    }

    @Test("of which a byte before the last record was flipped is not opened for writing, and says where")
    func everyFlippedByte() throws {
        let (files, bytes, frames) = try golden()
        let last = Int(frames[4].offset)
        let end = last + frames[4].frameSize
        for offset in 0..<end {
            var changed = bytes
            changed[offset] ^= 1 << UInt8(offset % 8)
            files.replace(Self.path, with: changed)
            if offset >= last {
                // The last record alone has nobody to speak for it: it goes, unless the caller knows of it.
                let error = #expect(throws: LogError.self) {
                    try open(files, forWriting: true, atLeast: 5)
                }
                #expect(error?.code == .damaged && error?.offset == Int64(last), "byte \(offset)")
                #expect(try open(files, forWriting: true).head == 4, "byte \(offset)")
                continue
            }
            let error = #expect(throws: LogError.self, "byte \(offset)") {
                try open(files, forWriting: true)
            }
            let code: LogError.Code = offset < 8 ? .notALog : .damaged
            #expect(error?.code == code && error?.path == Self.path, "byte \(offset)")
            if offset >= 128 {
                let frame = frames.last { $0.offset <= Int64(offset) }
                #expect(error?.offset == frame?.offset, "byte \(offset)")
            }
            #expect(files.contents(Self.path) == changed, "byte \(offset): something was overwritten")
        }
    }

    @Test("of which a byte was flipped is read up to the damage, and verification finds all that is behind it")
    func readingDamage() throws {
        let (files, bytes, frames) = try golden()
        for offset in 128..<Int(frames[4].offset) {
            var changed = bytes
            changed[offset] ^= 0x10
            files.replace(Self.path, with: changed)
            let log = try open(files, forWriting: false)
            let broken = try #require(frames.last { $0.offset <= Int64(offset) })
            let reader = try log.records(after: .zero)
            for _ in 1..<broken.sequence.rawValue { #expect(try reader.next() != nil) }
            #expect(throws: LogError.self, "byte \(offset)") { try reader.next() }
            let report = try LogMaintenance(log).verify()
            #expect(report.problems.first?.offset == broken.offset, "byte \(offset)")
            #expect(report.head == 5 && report.recordCount == 4, "byte \(offset)")
            #expect(report.problems.count == 1 || offset < Int(frames[1].offset), "byte \(offset)")
        }
    }

    @Test("that was cut short keeps the records that are whole", arguments: [false, true])
    func everyTruncation(forWriting: Bool) throws {
        let (files, bytes, frames) = try golden()
        let end = Int(frames[4].offset) + frames[4].frameSize
        for size in 0..<end {
            for name in try files.list("/log") { try files.remove("/log/" + name) }
            files.replace(Self.path, with: Array(bytes[..<size]))
            guard size >= 128 else {
                let error = #expect(throws: LogError.self) { try open(files, forWriting: forWriting) }
                #expect(error?.code == (size < 8 ? .notALog : .damaged), "\(size) bytes")
                continue
            }
            let whole = frames.filter { $0.offset + Int64($0.frameSize) <= Int64(size) }.count
            let log = try open(files, forWriting: forWriting)
            #expect(log.head.rawValue == UInt64(whole), "\(size) bytes")
            #expect(try log.all().count == whole, "\(size) bytes")
            if forWriting {
                try log.save(Samples.oneNote(9))
                #expect(try open(files, forWriting: true).head.rawValue == UInt64(whole + 1))
            }
        }
    }

    @Test("is not changed by being opened for reading with a torn tail")
    func readingTornTail() throws {
        let (files, bytes, frames) = try golden()
        var torn = bytes
        for offset in Int(frames[4].offset) + 40..<Int(frames[4].offset) + frames[4].frameSize {
            torn[offset] = 0
        }
        files.replace(Self.path, with: torn)
        let log = try open(files, forWriting: false)
        #expect(try log.all().count == 4)
        let report = try LogMaintenance(log).verify()
        #expect(report.isSound && report.tornTail?.offset == frames[4].offset)
        #expect(files.contents(Self.path) == torn)
    }

    @Test("does not mind bytes in the room after the last record that were never synced")
    func bytesInTheRoom() throws {
        let (files, bytes, _) = try golden()
        var changed = bytes
        changed[4000] = 1
        files.replace(Self.path, with: changed)
        #expect(try open(files, forWriting: true).head == 5)
        #expect(files.contents(Self.path) == bytes)
    }

    @Test("into which a killed writer wrote half a record has nothing behind the next one that is saved")
    func halfARecord() throws {
        let (files, bytes, frames) = try golden()
        let log = try open(files, forWriting: true)
        let half = [UInt8](repeating: 0xAA, count: 1000)
        let end = frames[4].offset + Int64(frames[4].frameSize)
        try #require(Int(end) + half.count < bytes.count)
        try files.open(Self.path, .write).write(half.span.bytes, at: end)
        try log.save(Samples.oneNote(4))
        #expect(try LogMaintenance(log).verify().tornTail == nil)
    }

    @Test("reports a segment that is gone from the middle")
    func missingSegment() throws {
        let files = SimulatedFileSystem(seed: 2)
        let log = try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, options: Self.options, fileSystem: files,
            date: Samples.date)
        try log.save(.model(Samples.model))
        for key in 1...80 { try log.save(Samples.oneNote(Int64(key))) }
        let second = try #require(try files.list("/log").filter { $0.hasSuffix("segment") }.sorted().dropFirst().first)
        try files.remove("/log/" + second)
        let again = try open(files, forWriting: false)
        #expect(throws: LogError.self) { try again.all() }
        #expect(try LogMaintenance(again).verify().isSound == false)
    }

    @Test("of another store is refused where it stands among this one's segments")
    func foreignSegment() throws {
        let files = SimulatedFileSystem(seed: 2)
        let log = try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, options: Self.options, fileSystem: files,
            date: Samples.date)
        for key in 1...40 { try log.save(Samples.oneNote(Int64(key))) }
        let other = try SegmentLog.create(
            directory: "/other", storeID: StoreID(high: 1, low: 2), options: Self.options,
            fileSystem: files, date: Samples.date)
        for key in 1...40 { try other.save(Samples.oneNote(Int64(key))) }
        files.replace(Self.path, with: files.contents("/other/00000000000000000001.segment"))
        let again = try open(files, forWriting: false)
        let error = #expect(throws: LogError.self) { try again.all() }
        #expect(error?.code == .storeMismatch)
    }

    /// Two copies of a log that went apart in their first segment, and the second segment of each, which begins with
    /// the same record.
    private func copies() throws -> (files: SimulatedFileSystem, logs: [SegmentLog], name: String) {
        let files = SimulatedFileSystem(seed: 3)
        let logs = try ["a", "b"].map { name in
            let log = try SegmentLog.create(
                directory: "/" + name, storeID: Samples.storeID, options: Self.options, fileSystem: files,
                date: Samples.date)
            try log.save(.model(Samples.model))
            for key in 1...40 { try log.save(Samples.oneNote(Int64(key), title: "note of \(name)")) }
            return log
        }
        let names = try files.list("/a").filter { $0.hasSuffix(".segment") }.sorted()
        #expect(try files.list("/b").filter { $0.hasSuffix(".segment") }.sorted() == names)
        return (files, logs, try #require(names.dropFirst().first))
    }

    @Test("into which a segment of another copy was put is not sound, and is not read over that")
    func segmentOfAnotherCopy() throws {
        let (files, logs, name) = try copies()
        for log in logs { log.close() }
        files.replace("/a/" + name, with: files.contents("/b/" + name))
        let log = try SegmentLog.open(
            directory: "/a", forWriting: false, options: Self.options, fileSystem: files)
        #expect(try !LogMaintenance(log).verify().isSound)
        let error = #expect(throws: LogError.self) { try log.all() }
        #expect(error?.code == .damaged)
    }

    @Test("that is followed into a segment of another copy is damaged there")
    func followedIntoAnotherCopy() throws {
        let (files, logs, name) = try copies()
        let followed = try SegmentLog.create(
            directory: "/c", storeID: Samples.storeID, options: Self.options, fileSystem: files, date: Samples.date)
        let reader = try SegmentLog.open(
            directory: "/c", forWriting: false, options: Self.options, fileSystem: files)
        try followed.save(.model(Samples.model))
        for key in 1...40 { try followed.save(Samples.oneNote(Int64(key), title: "note of c")) }
        for log in logs + [followed] { log.close() }
        files.replace("/c/" + name, with: files.contents("/b/" + name))
        let error = #expect(throws: LogError.self) { try reader.refresh() }
        #expect(error?.code == .damaged && error?.path == "/c/" + name)
    }

    @Test("is told from another copy by a checkpoint")
    func checkpointOfAnotherCopy() throws {
        let (_, logs, _) = try copies()
        let checkpoint = try logs[1].checkpoint(at: 20)
        try logs[1].check(checkpoint)
        let error = #expect(throws: LogError.self) { try logs[0].check(checkpoint) }
        #expect(error?.code == .damaged && error?.sequence == 20)
    }
}
