import FirnLog
import TestSupport
import Testing

/// The disk fails at one of what follows once note 2 is written: its sync, the write of the notes that waited
/// meanwhile, and the sync of those.
@Suite("Threads that commit prepared records to a disk that fails")
struct CommitFaultTests {
    private static let seeds = 1...200 as ClosedRange<UInt64>
    private static let options = LogOptions(segmentSize: 8192)

    private func create(_ disk: SimulatedFileSystem) throws -> (log: SegmentLog, files: GatedFileSystem) {
        let files = GatedFileSystem(disk)
        let log = try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, options: Self.options, fileSystem: files,
            date: Samples.date)
        try log.save(.model(Samples.model))
        return (log, files)
    }

    @Test("lose nothing acknowledged when the power goes, wherever in their write it does", arguments: [1, 2, 3])
    func powerLost(step: Int) throws {
        for seed in Self.seeds {
            let disk = SimulatedFileSystem(seed: seed)
            let (log, files) = try create(disk)
            let committing = try Committing(log, files)
            disk.fault = .crash
            disk.faultStep = disk.steps + step
            files.syncs.open()
            let outcomes = try committing.outcomes()
            #expect(
                outcomes
                    == (step == 1
                        ? [
                            2: .failed(.ioFailed), 3: .failed(.poisoned), 4: .failed(.poisoned), 5: .failed(.poisoned),
                            6: .failed(.poisoned),
                        ]
                        : [
                            2: .committed(true), 3: .failed(.ioFailed), 4: .committed(false), 5: .failed(.ioFailed),
                            6: .failed(.ioFailed),
                        ]),
                "seed \(seed)")
            let acknowledged = Set(outcomes.filter { $0.value == .committed(true) }.keys)
            let again = try SegmentLog.open(
                directory: "/log", forWriting: true, options: Self.options, fileSystem: disk.afterCrash())
            let notes = try again.notes()
            #expect(notes.isSuperset(of: acknowledged) && notes.isSubset(of: [2, 3, 5, 6]), "seed \(seed)")
            try again.save(Samples.oneNote(7))
            #expect(try again.notes() == notes.union([7]), "seed \(seed)")
            let report = try again.verify()
            #expect(report.isSound && report.tornTail == nil, "seed \(seed)")
        }
    }

    @Test("each hear whether the disk was full before their record was there, and no reader saw one that is not")
    func fullDisk() throws {
        var counts: Set<Int> = []
        for seed in Self.seeds {
            let disk = SimulatedFileSystem(seed: seed)
            let (log, files) = try create(disk)
            let committing = try Committing(log, files)
            let reader = try SegmentLog.open(directory: "/log", forWriting: false, fileSystem: disk)
            disk.fault = .noSpace
            disk.faultStep = disk.steps + 2
            files.writes.close()
            files.syncs.open()
            try files.writes.waitForArrival()
            let seen = try reader.refresh()
            files.writes.open()
            let outcomes = try committing.outcomes()
            let committed = outcomes.filter { $0.value == .committed(true) }.keys
            let refused = outcomes.filter { $0.value == .failed(.noSpace) }.keys
            #expect(outcomes[4] == .committed(false), "seed \(seed)")
            #expect(Set(committed).union(refused) == [2, 3, 5, 6], "seed \(seed)")
            #expect(try log.notes() == Set(committed) && log.durableThrough == log.head, "seed \(seed)")
            #expect(log.head == seen, "seed \(seed)")
            try log.save(Samples.oneNote(7))
            try reader.refresh()
            #expect(try reader.all() == log.all(), "seed \(seed)")
            counts.insert(committed.count)
        }
        #expect(counts == [1, 2, 3], "the write ends in each of the three frames")
    }
}
