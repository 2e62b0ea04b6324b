import FirnLog
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("A log whose sealed segments are packed")
struct PackingTests {
    private static let options = LogOptions(segmentSize: 4096)

    private func create(_ files: SimulatedFileSystem, segmentSize: Int64 = 4096) throws -> SegmentLog {
        let log = try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, options: LogOptions(segmentSize: segmentSize),
            fileSystem: files, date: Samples.date)
        try log.save(.model(Samples.model))
        return log
    }

    private func open(_ files: SimulatedFileSystem, forWriting: Bool = true) throws -> SegmentLog {
        try SegmentLog.open(directory: "/log", forWriting: forWriting, options: Self.options, fileSystem: files)
    }

    /// A log of the model and `count` notes.
    private func fill(_ files: SimulatedFileSystem, _ count: Int64, segmentSize: Int64 = 4096) throws -> SegmentLog {
        let log = try create(files, segmentSize: segmentSize)
        for key in 1...count { try log.save(Samples.oneNote(key, title: "the title of note \(key)")) }
        return log
    }

    private func segments(_ files: SimulatedFileSystem) throws -> [String] {
        try files.list("/log").filter { $0.hasSuffix(".segment") }.sorted()
    }

    private func links(_ log: SegmentLog) throws -> [FrameInfo] {
        let reader = try log.records(after: log.baseline)
        var frames: [FrameInfo] = []
        while let frame = try reader.nextFrameInfo() { frames.append(frame) }
        return frames
    }

    @Test("has the same records at the same places, links and dates, in fewer bytes; the last segment stays as it is")
    func sameRecords() throws {
        let files = SimulatedFileSystem(seed: 1)
        let log = try fill(files, 200)
        let (records, frames, names) = (try log.all(), try links(log), try segments(files))
        let sizes = names.map { files.contents("/log/" + $0).count }
        var seen: [PackingReport] = []
        let report = try LogMaintenance(log).pack { seen.append($0) }
        #expect(report.segmentCount == names.count - 1 && report.remainingCount == 0)
        #expect(seen.map(\.segmentCount) == Array(1...report.segmentCount) && seen.last == report)
        let packed = names.map { files.contents("/log/" + $0).count }
        #expect(report.plainSize == Int64(sizes.dropLast().reduce(0, +)))
        #expect(report.packedSize == Int64(packed.dropLast().reduce(0, +)))
        #expect(report.packedSize * 2 < report.plainSize)
        #expect(packed.last == sizes.last)
        #expect(try segments(files) == names)
        for reader in [log, try open(files), try open(files, forWriting: false)] {
            #expect(try reader.all() == records)
            #expect(try links(reader) == frames)
            #expect(try reader.record(at: 7) == records[6])
            let verified = try LogMaintenance(reader).verify()
            #expect(verified.isSound && verified.head == log.head && verified.link == frames.last?.link)
        }
        #expect(try LogMaintenance(log).pack().segmentCount == 0)
        #expect(try files.list("/log").filter { $0.hasSuffix(".tmp") } == [])
    }

    @Test("is written to, rolled and packed again, by this program and another one that was open before")
    func goesOn() throws {
        let files = SimulatedFileSystem(seed: 1)
        let log = try fill(files, 60)
        let (other, follower) = (try open(files), try open(files, forWriting: false))
        let reader = try follower.records(after: .zero)
        _ = try reader.next()
        for key in 61...200 as ClosedRange<Int64> {
            try (key % 2 == 0 ? log : other).save(Samples.oneNote(key))
            if key % 7 == 0 { try LogMaintenance(key % 3 == 0 ? log : other).pack() }
        }
        #expect(try other.all() == log.all())
        #expect(try log.all().count == 201)
        var count = 1
        while try reader.next() != nil { count += 1 }
        #expect(count == 201)
    }

    @Test("has a segment of one large record, one of noise, and one without records behind it")
    func unusualSegments() throws {
        let files = SimulatedFileSystem(seed: 3)
        let log = try create(files)
        var noise = ""
        for _ in 0..<1_600_000 { noise.unicodeScalars.append(UnicodeScalar(UInt8(33 + files.random.next() % 94))) }
        try log.save(Samples.oneNote(1, title: noise))
        try log.save(Samples.oneNote(2, title: String(noise.prefix(3000))))
        try log.save(Samples.oneNote(3, title: String(repeating: "long ", count: 400_000)))
        for key in 4...40 as ClosedRange<Int64> { try log.save(Samples.oneNote(key)) }
        let records = try log.all()
        #expect(try LogMaintenance(log).pack().segmentCount == segments(files).count - 1)
        #expect(try open(files).all() == records)
        #expect(try LogMaintenance(open(files)).verify().isSound)
    }

    @Test("is due once for each segment that was sealed")
    func due() throws {
        let files = SimulatedFileSystem(seed: 1)
        let log = try create(files)
        let maintenance = LogMaintenance(log)
        var counts: [Int] = []
        for key in 1...60 as ClosedRange<Int64> {
            try log.save(Samples.oneNote(key))
            if maintenance.beginPacking() { counts.append(try segments(files).count) }
        }
        #expect(counts == Array(2...(try segments(files).count)))
        #expect(LogMaintenance(try open(files)).beginPacking())
        #expect(!LogMaintenance(try open(files, forWriting: false)).beginPacking())
    }

    @Test("is trimmed inside of a packed segment")
    func trimmed() throws {
        let files = SimulatedFileSystem(seed: 1)
        let log = try fill(files, 100)
        let records = try log.all()
        try LogMaintenance(log).pack()
        try LogMaintenance(log).trim(through: 40) { write in try write(.keys([EntityNumber(1): 40])) }
        let reader = try open(files).records(after: 40)
        var left: [LogRecord] = []
        while let record = try reader.next() { left.append(record) }
        #expect(left == Array(records[40...]))
        #expect(try LogMaintenance(log).pack().segmentCount == 1)
        #expect(try LogMaintenance(open(files)).verify().isSound)
    }

    @Test("is erased from, and packed again without the values")
    func erased() throws {
        let files = SimulatedFileSystem(seed: 1)
        let log = try create(files)
        for key in 1...60 as ClosedRange<Int64> { try log.save(Samples.oneNote(key, title: "a secret of \(key)")) }
        let (records, maintenance) = (try log.all(), LogMaintenance(log))
        try maintenance.pack()
        let object = ObjectKey(entity: EntityNumber(1), primaryKey: 20)
        _ = try maintenance.erase(Erasure(model: 1, object: object), header: Samples.header(0))
        try maintenance.finishErasure()
        #expect(try maintenance.pack().segmentCount >= 1)
        for log in [log, try open(files)] {
            let now = try log.all()
            let changed = zip(records, now).filter { $0.body != $1.body }.map(\.0.sequence)
            #expect(changed == [21])
            #expect(try LogMaintenance(log).verify().isSound)
        }
    }

    @Test("says where the damage is when any byte of a packed segment is another one, or missing")
    func damaged() throws {
        let files = SimulatedFileSystem(seed: 1)
        let log = try fill(files, 60)
        let records = try log.all()
        try LogMaintenance(log).pack()
        let path = "/log/" + (try segments(files)[1])
        let bytes = files.contents(path)
        for offset in bytes.indices {
            var changed = bytes
            changed[offset] ^= 1 << UInt8(offset % 8)
            files.replace(path, with: changed)
            let report = try LogMaintenance(open(files, forWriting: false)).verify()
            let problem = try #require(report.problems.first, "byte \(offset)")
            #expect(problem.path == path && problem.offset != nil, "byte \(offset): \(problem)")
            #expect(problem.code == (offset < 8 ? .notALog : .damaged), "byte \(offset): \(problem)")
            #expect(throws: LogError.self, "byte \(offset)") { try open(files, forWriting: false).all() }
        }
        for size in bytes.indices {
            files.replace(path, with: Array(bytes[..<size]))
            #expect(throws: LogError.self, "\(size) bytes") { try open(files, forWriting: false).all() }
        }
        files.replace(path, with: bytes)
        #expect(try open(files).all() == records)
    }

    @Test("is refused, with the reason, when the segment behind a packed one is gone")
    func lastIsGone() throws {
        let files = SimulatedFileSystem(seed: 1)
        let log = try fill(files, 60)
        try LogMaintenance(log).pack()
        try files.remove("/log/" + (try #require(try segments(files).last)))
        let error = #expect(throws: LogError.self) { try open(files) }
        #expect(error?.code == .damaged)
    }

    @Test("has no leftovers of a packing that was killed once it is packed again, or erased from")
    func leftovers() throws {
        let files = SimulatedFileSystem(seed: 1)
        let log = try fill(files, 60)
        let maintenance = LogMaintenance(log)
        func leave() throws {
            _ = try files.open("/log/00000000000000000001.segment.ab12.tmp", .create)
        }
        try leave()
        try maintenance.pack()
        #expect(try files.list("/log").filter { $0.hasSuffix(".tmp") } == [])
        try leave()
        let object = ObjectKey(entity: EntityNumber(1), primaryKey: 20)
        _ = try maintenance.erase(Erasure(model: 1, object: object), header: Samples.header(0))
        #expect(try files.list("/log").filter { $0.hasSuffix(".tmp") } == [])
    }

    @Test("waits for no packing, and no packing for it, while another program packs")
    func locked() throws {
        let files = SimulatedFileSystem(seed: 1)
        let log = try fill(files, 60)
        let lock = try files.lock("/log/pack.lock")
        #expect(try lock.acquire(waiting: false))
        let error = #expect(throws: LogError.self) { try LogMaintenance(log).pack() }
        #expect(error?.code == .locked)
        try log.save(Samples.oneNote(61))
        lock.release()
        #expect(try LogMaintenance(log).pack().segmentCount > 0)
    }

    @Test("may wait until another program has packed")
    func waiting() throws {
        let folder = try TemporaryDirectory()
        let log = try SegmentLog.create(
            directory: folder.file("log").path, storeID: Samples.storeID, options: Self.options, date: 1)
        defer { log.close() }
        for key in Int64(1)...60 { try log.save(Samples.oneNote(key, title: "the title of note \(key)")) }
        let lock = try PosixFileSystem().lock(log.directory + "/pack.lock")
        #expect(try lock.acquire(waiting: false))
        let found = Mutex<Result<Int, any Error>?>(nil)
        let (begins, ends) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            begins.signal()
            let result = Result { try LogMaintenance(log).pack(waiting: true).segmentCount }
            found.withLock { $0 = result }
            ends.signal()
        }
        begins.wait()
        try log.save(Samples.oneNote(61))
        lock.release()
        ends.wait()
        #expect(try found.withLock { try $0?.get() } ?? 0 > 0)
    }
}
