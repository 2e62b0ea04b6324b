import FirnLog
import FirnStore
import TestSupport
import Testing

/// The disk fails at one of what follows once the first transaction is written: its sync, the write of those that
/// waited meanwhile, and the sync of those.
@Suite("Transactions that are committed at the same time to a disk that fails")
struct CommitFaultTests {
    private static let seeds = 1...60 as ClosedRange<UInt64>
    private static let texts = ["first", "late", "a title that is longer", String(repeating: "z?", count: 90), "last"]

    /// A store with one note, and five transactions of which the second is refused.
    private struct Run {
        let disk: SimulatedFileSystem
        let files: GatedFileSystem
        let store: PlainStore
        let savers: Savers

        init(_ directory: TemporaryDirectory, seed: UInt64) throws {
            disk = SimulatedFileSystem(seed: seed)
            files = GatedFileSystem(disk)
            store = try PlainStore("\(directory.path)/\(seed).sqlite", on: files)
            #expect(store.commit(try store.insertion("note")) == .committed)
            let store = store
            let transactions =
                try [store.update(1, texts[0]), store.update(1, texts[1])] + texts[2...].map { try store.insertion($0) }
            savers = try Savers(store, files, transactions)
        }

        var notes: Set<String> { get throws { try store.engine.log.titles() } }
    }

    @Test("lose nothing acknowledged when the power goes, wherever in their write it does", arguments: [1, 2, 3])
    func powerLost(step: Int) throws {
        let directory = try TemporaryDirectory()
        for seed in Self.seeds {
            let run = try Run(directory, seed: seed)
            run.disk.fault = .crash
            run.disk.faultStep = run.disk.steps + step
            run.files.syncs.open()
            let outcomes = try run.savers.outcomes()
            let failed = PlainStore.Outcome.failed(.ioFailed)
            let poisoned = PlainStore.Outcome.failed(.poisoned)
            #expect(
                outcomes
                    == (step == 1
                        ? [failed, poisoned, poisoned, poisoned, poisoned]
                        : [.committed, .conflict, failed, failed, failed]),
                "seed \(seed)")
            let acknowledged = Set(zip(Self.texts, outcomes).filter { $0.1 == .committed }.map(\.0))
            let again = try SegmentLog.open(
                directory: run.store.engine.log.directory, forWriting: true, fileSystem: run.disk.afterCrash())
            let notes = try again.titles()
            #expect(notes.isSuperset(of: acknowledged.union(["note"])), "seed \(seed)")
            #expect(notes.isSubset(of: Set(Self.texts).union(["note"]).subtracting(["late"])), "seed \(seed)")
            let report = try LogMaintenance(again).verify()
            #expect(report.isSound && report.tornTail == nil, "seed \(seed)")
        }
    }

    @Test("each hear whether the disk was full before their record was there, and no reader saw one that is not")
    func fullDisk() throws {
        let directory = try TemporaryDirectory()
        var counts: Set<Int> = []
        for seed in Self.seeds {
            let run = try Run(directory, seed: seed)
            let log = run.store.engine.log
            let reader = try SegmentLog.open(directory: log.directory, forWriting: false, fileSystem: run.disk)
            run.disk.fault = .noSpace
            run.disk.faultStep = run.disk.steps + 2
            run.files.writes.close()
            run.files.syncs.open()
            try run.files.writes.waitForArrival()
            let seen = try reader.refresh()
            run.files.writes.open()
            let outcomes = try run.savers.outcomes()
            let written = zip(Self.texts, outcomes).filter { $0.1 == .committed }.map(\.0)
            #expect(outcomes[1] == .conflict, "seed \(seed)")
            #expect(
                outcomes.allSatisfy { [.committed, .conflict, .failed(.noSpace)].contains($0) }, "seed \(seed)")
            #expect(try log.titles() == Set(written).union(["note"]), "seed \(seed)")
            #expect(log.durableThrough == log.head && log.head == seen, "seed \(seed)")
            #expect(run.store.commit(try run.store.insertion("later")) == .committed)
            #expect(try run.store.titles().values.sorted() == log.titles().subtracting(["note"]).sorted())
            counts.insert(written.count)
        }
        #expect(counts == [1, 2, 3], "the write ends in each of the three frames")
    }

    @Test("do not fail with one that was tried before them")
    func later() throws {
        let directory = try TemporaryDirectory()
        let disk = SimulatedFileSystem(seed: 1)
        let files = GatedFileSystem(disk)
        let store = try PlainStore("\(directory.path)/1.sqlite", on: files)
        // The last one has to be alone.
        let savers = try Savers(
            store, files,
            [store.insertion("first"), store.insertion("second"), store.insertion("third", isUnique: true)])
        disk.fault = .noSpace
        disk.faultStep = disk.steps + 2
        files.syncs.open()
        #expect(try savers.outcomes() == [.committed, .failed(.noSpace), .committed])
    }
}
