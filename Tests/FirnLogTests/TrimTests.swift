import FirnLog
import Foundation
import TestSupport
import Testing

@Suite("Trimming a log")
struct TrimTests {
    private static let options = LogOptions(segmentSize: 4096)

    private func create(_ files: SimulatedFileSystem) throws -> SegmentLog {
        try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, options: Self.options, fileSystem: files, date: Samples.date)
    }

    private func open(_ files: SimulatedFileSystem, forWriting: Bool = true) throws -> SegmentLog {
        try SegmentLog.open(
            directory: "/log", forWriting: forWriting, options: Self.options, fileSystem: files)
    }

    /// A log of a model and `count` notes, whose keys are their records' numbers.
    private func fill(_ files: SimulatedFileSystem, _ count: Int) throws -> SegmentLog {
        let log = try create(files)
        try log.save(.model(Samples.model))
        for key in 2...Int64(count + 1) { try log.save(Samples.oneNote(key, title: "note \(key)")) }
        return log
    }

    /// A state that tells its record: one row of that key.
    private func trim(_ log: SegmentLog, through last: SequenceNumber) throws {
        try LogMaintenance(log).trim(through: last) { write in
            try write(.keys([EntityNumber(1): Int64(last.rawValue)]))
            guard case .changes(let changes) = Samples.oneNote(Int64(last.rawValue)) else { return }
            try write(.rows(changes, versions: [[Int64(last.rawValue)]]))
        }
    }

    /// The keys that a replay gives: the baseline's, then those of the records.
    private func keys(_ log: SegmentLog) throws -> [Int64] {
        let replay = try log.replay()
        var keys: [Int64] = []
        while let record = try replay.next() {
            switch record.body {
            case .changes(let changes): keys.append(changes.groups[0].primaryKeys[0])
            case .baseline(.rows(let changes, let versions)):
                #expect(versions == [[Int64(record.sequence.rawValue)]])
                keys.append(changes.groups[0].primaryKeys[0])
            default: break
            }
        }
        return keys
    }

    private func isSound(_ log: SegmentLog) throws -> Bool {
        let report = try LogMaintenance(log).verify()
        return report.isSound && report.tornTail == nil && report.baseline == log.baseline && report.head == log.head
    }

    @Test("leaves a reader the models and the date of the baseline, also if it knows an earlier one")
    func again() throws {
        let files = SimulatedFileSystem(seed: 1)
        let log = try fill(files, 59)
        try trim(log, through: 20)
        let readers = try (0..<2).map { _ in try open(files, forWriting: false) }
        try trim(log, through: 40)
        #expect(try readers[0].model(at: 1) == Samples.model)
        #expect(try readers[1].baselineDate == log.baselineDate)
    }

    @Test(
        "leaves the records that follow, after their baseline, wherever it cuts",
        arguments: 1...60 as ClosedRange<UInt64>)
    func anywhere(last: UInt64) throws {
        let files = SimulatedFileSystem(seed: last)
        let log = try fill(files, 59)
        try trim(log, through: SequenceNumber(last))
        for log in [log, try open(files), try open(files, forWriting: false)] {
            #expect(log.baseline == SequenceNumber(last))
            #expect(log.first == SequenceNumber(last + 1))
            #expect(log.head == 60)
            #expect(try keys(log) == (Int64(last)...60).map { $0 })
            #expect(try log.model(at: 1) == Samples.model)
            #expect(try isSound(log))
        }
        try log.save(Samples.oneNote(61))
        #expect(try keys(open(files)) == (Int64(last)...61).map { $0 })
        #expect(throws: LogError.self) { try log.record(at: SequenceNumber(last)) }
        #expect(throws: LogError.self) { try log.records(after: SequenceNumber(last - 1)) }
    }

    @Test("can be done again and again, and removes what was before")
    func repeated() throws {
        let files = SimulatedFileSystem(seed: 1)
        let log = try fill(files, 59)
        for last in [10, 10, 7, 33, 60] as [UInt64] { try trim(log, through: SequenceNumber(last)) }
        #expect(log.baseline == 60)
        #expect(try isSound(log))
        let names = try files.list("/log").filter { !$0.hasSuffix("lock") }.sorted()
        #expect(names == ["00000000000000000060.baseline", "00000000000000000061.segment"])
    }

    @Test(
        "is noticed by a log that has the old files open, and loses nothing it then saves",
        arguments: [20, 45, 60] as [UInt64])
    func otherWriter(last: UInt64) throws {
        let files = SimulatedFileSystem(seed: 1)
        let log = try fill(files, 4)
        let other = try open(files)
        let reader = try open(files, forWriting: false)
        for key in 6...60 as ClosedRange<Int64> { try log.save(Samples.oneNote(key)) }
        try trim(log, through: SequenceNumber(last))
        try log.save(Samples.oneNote(61))
        try trim(log, through: SequenceNumber(last + 1))
        try other.save(Samples.oneNote(62))
        #expect(other.head == 62)
        #expect(try reader.refresh() == 62)
        // Nothing is left there of what they knew.
        for follower in [other, reader] where last == 60 { #expect(follower.baseline == 61 && follower.first == 62) }
        #expect(try keys(log) == (Int64(last + 1)...62).map { $0 })
        #expect(try keys(reader) == (Int64(last + 1)...62).map { $0 })
        #expect(throws: LogError.self) { try reader.records(after: 5).next() }
    }

    @Test("is noticed by a log that looks for a date, or is asked how long it is")
    func otherReaders() throws {
        let files = SimulatedFileSystem(seed: 1)
        let log = try fill(files, 59)
        let others = try (0..<3).map { _ in try open(files, forWriting: false) }
        try trim(log, through: 30)
        #expect(try others[0].sequence(atOrBefore: .min) == 30)
        #expect(try others[1].extent() == log.extent())
        #expect(try others[2].statistics() == log.statistics())
    }

    @Test("leaves no baseline that is not active where the disk is full")
    func fullDisk() throws {
        for step in 1...20 {
            let files = SimulatedFileSystem(seed: 1)
            let log = try fill(files, 59)
            (files.fault, files.faultStep) = (.noSpace, files.steps + step)
            try? trim(log, through: 30)
            let isThere = try files.list("/log").contains { $0.hasSuffix(".baseline") }
            #expect(try isThere == (open(files, forWriting: false).baseline == 30), "step \(step)")
        }
    }

    @Test("leaves the log as before or after, wherever the power goes", arguments: 1...2 as ClosedRange<UInt64>)
    func crashAtEveryStep(seed: UInt64) throws {
        let count: Int64 = 24
        func run(_ files: SimulatedFileSystem) throws {
            let log = try fill(files, Int(count - 1))
            for last in [8, 17, 24] as [UInt64] { try trim(log, through: SequenceNumber(last)) }
        }
        let filled = SimulatedFileSystem(seed: 1)
        _ = try fill(filled, Int(count - 1))
        let files = SimulatedFileSystem(seed: 1)
        try run(files)
        for fault in [SimulatedFileSystem.Fault.crash, .ioError, .noSpace] {
            for step in filled.steps + 1...files.steps {
                let files = SimulatedFileSystem(seed: seed &* 1000 + UInt64(step))
                files.fault = fault
                files.faultStep = step
                try? run(files)
                files.fault = .none
                let survivor = fault == .crash ? files.afterCrash() : files
                let log = try open(survivor)
                #expect([0, 8, 17, 24].contains(log.baseline), "\(fault), seed \(seed), step \(step)")
                let first = max(2, Int64(log.baseline.rawValue))
                #expect(try keys(log) == (first...count).map { $0 }, "\(fault), seed \(seed), step \(step)")
                #expect(try isSound(log), "\(fault), seed \(seed), step \(step)")
                try log.save(Samples.oneNote(count + 1))
                try trim(log, through: 25)
                #expect(try keys(open(survivor)) == [count + 1], "\(fault), seed \(seed), step \(step)")
            }
        }
    }

    /// No segment is made then whose name would be synced together with the baseline's.
    @Test("that ends where a segment does leaves the log as before or after, wherever the power goes")
    func crashAtSegmentEnd() throws {
        let filled = SimulatedFileSystem(seed: 1)
        _ = try fill(filled, 59)
        let starts = try filled.list("/log").compactMap { name in
            name.hasSuffix(".segment") ? UInt64(name.dropLast(".segment".count)) : nil
        }.sorted()
        #expect(starts.count > 2)
        for start in starts.dropFirst() {
            let last = start - 1
            let whole = SimulatedFileSystem(seed: 1)
            try trim(fill(whole, 59), through: SequenceNumber(last))
            for step in filled.steps + 1...whole.steps + 1 {
                for seed in 1...8 as ClosedRange<UInt64> {
                    let files = SimulatedFileSystem(seed: seed &* 1000 + UInt64(step))
                    let log = try fill(files, 59)
                    (files.fault, files.faultStep) = (.crash, step)
                    try? trim(log, through: SequenceNumber(last))
                    let survivor = try open(files.afterCrash())
                    #expect([0, last].contains(survivor.baseline.rawValue), "\(last), seed \(seed), step \(step)")
                    let first = max(2, Int64(survivor.baseline.rawValue))
                    #expect(try keys(survivor) == (first...60).map { $0 }, "\(last), seed \(seed), step \(step)")
                }
            }
        }
    }

    @Test("every flipped byte of a baseline is reported")
    func flippedBytes() throws {
        let files = SimulatedFileSystem(seed: 1)
        try trim(fill(files, 59), through: 30)
        let path = "/log/00000000000000000030.baseline"
        let sound = files.contents(path)
        for index in sound.indices {
            var bytes = sound
            bytes[index] ^= 1 << UInt8(index % 8)
            files.replace(path, with: bytes)
            let log = try open(files, forWriting: false)
            #expect(try !LogMaintenance(log).verify().isSound, "byte \(index)")
        }
    }

    @Test("a log whose beginning is gone without a baseline is damaged")
    func missingBaseline() throws {
        let files = SimulatedFileSystem(seed: 1)
        try trim(fill(files, 59), through: 30)
        try files.remove("/log/00000000000000000030.baseline")
        let log = try open(files, forWriting: false)
        #expect(try !LogMaintenance(log).verify().isSound)
        #expect(throws: LogError.self) { try log.replay().next() }
    }

    @Test("gives the disk's room back: a reader of old records does not keep their files open")
    func openFiles() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("Log").path
        let log = try SegmentLog.create(
            directory: path, storeID: Samples.storeID, options: Self.options, fileSystem: PosixFileSystem(),
            date: Samples.date)
        try log.save(.model(Samples.model))
        for key in 2...60 as ClosedRange<Int64> { try log.save(Samples.oneNote(key, title: "note \(key)")) }
        #expect(try log.record(at: 2).sequence == 2)
        #expect(!Self.openSegments(in: path).isEmpty)
        try trim(log, through: 50)
        let removed = Self.openSegments(in: path).filter { $0.hasSuffix("(deleted)") }
        #expect(removed.isEmpty)
    }

    /// The segments of a folder that this process has open; Linux marks those that were removed.
    /// https://man7.org/linux/man-pages/man5/proc_pid_fd.5.html
    private static func openSegments(in directory: String) -> [String] {
        let folder = "/proc/self/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + $0) }
            .filter { $0.hasPrefix(directory) && $0.contains(".segment") }
    }

    @Test("gives no replay from a record that was cut off")
    func replayFromWhatIsGone() throws {
        let log = try fill(SimulatedFileSystem(seed: 7), 60)
        try trim(log, through: 40)
        let error = #expect(throws: LogError.self) { try log.replay(after: 20) }
        #expect(error?.code == .missing && error?.sequence == 21)
        #expect(try log.replay(after: 41).next()?.sequence == 42)
    }

    @Test("a replay is at the baseline's record once it has given its last part")
    func replayedBaseline() throws {
        let log = try fill(SimulatedFileSystem(seed: 7), 60)
        try trim(log, through: 40)
        let replay = try log.replay()
        #expect(replay.position == .zero)
        while replay.position < 40 { guard case .baseline? = try replay.next()?.body else { break } }
        #expect(try replay.position == 40 && replay.next()?.sequence == 41)
    }
}
