import FirnLog
import TestSupport
import Testing

/// A program of saves is run against a disk that fails at each of its operations in turn.
@Suite("A log on a disk that fails")
struct CrashTests {
    private static let options = LogOptions(segmentSize: 4096)

    /// Records of more bytes go into the file piece by piece.
    private static func options(heldSizeMax: Int) -> LogOptions {
        var options = options
        options.heldSizeMax = heldSizeMax
        return options
    }

    /// Opens or creates the log and saves until the disk fails; says what was acknowledged.
    private func run(
        _ files: SimulatedFileSystem, saves: Int, expecting: [Int64], _ options: LogOptions = Self.options
    ) throws -> [Int64] {
        var acknowledged = expecting
        let log: SegmentLog
        if try SegmentLog.exists(directory: "/log", fileSystem: files) {
            log = try SegmentLog.open(
                directory: "/log", forWriting: true,
                atLeast: expecting.isEmpty ? .zero : SequenceNumber(UInt64(expecting.count + 1)),
                options: options, fileSystem: files)
        } else {
            log = try SegmentLog.create(
                directory: "/log", storeID: Samples.storeID, options: options, fileSystem: files,
                date: Samples.date)
        }
        do {
            // What survived without having been acknowledged counts from now on.
            acknowledged = try keys(log)
            if log.head == .zero { try log.save(.model(Samples.model)) }
            for _ in 0..<saves {
                // One save in three is of two records that share a sync.
                let count = acknowledged.count % 3 == 0 ? 2 : 1
                let new = (0..<count).map { Int64(acknowledged.count + $0 + 1) }
                try log.exclusively {
                    for key in new {
                        try log.append(
                            Samples.oneNote(key, title: "note \(key)"), header: Samples.header(UInt64(key)))
                    }
                }
                try log.sync(through: log.head)
                acknowledged += new
            }
        } catch let error as LogError where files.isDead || files.fault != .none {
            _ = error
        }
        return acknowledged
    }

    private func keys(_ log: SegmentLog) throws -> [Int64] {
        try log.all().compactMap { record in
            guard case .changes(let changes) = record.body else { return nil }
            return changes.groups[0].primaryKeys[0]
        }
    }

    private func steps(saves: Int, _ options: LogOptions = Self.options) throws -> Int {
        let files = SimulatedFileSystem(seed: 1)
        _ = try run(files, saves: saves, expecting: [], options)
        return files.steps
    }

    @Test(
        "loses nothing acknowledged and has no gap, wherever the power goes",
        arguments: 1...6 as ClosedRange<UInt64>, [LogOptions.heldSizeDefault, 50])
    func crashAtEveryStep(seed: UInt64, heldSizeMax: Int) throws {
        let saves = 40
        let options = Self.options(heldSizeMax: heldSizeMax)
        for step in 1...(try steps(saves: saves, options)) {
            let files = SimulatedFileSystem(seed: seed &* 1000 + UInt64(step))
            files.fault = .crash
            files.faultStep = step
            let acknowledged = (try? run(files, saves: saves, expecting: [], options)) ?? []
            let survivor = files.afterCrash()
            let more = try run(survivor, saves: 2, expecting: acknowledged, options)
            #expect(more.starts(with: acknowledged), "seed \(seed), step \(step)")
            #expect(more == (1...Int64(more.count)).map { $0 }, "seed \(seed), step \(step)")
            let log = try SegmentLog.open(directory: "/log", forWriting: false, fileSystem: survivor)
            let report = try LogMaintenance(log).verify()
            #expect(report.isSound && report.tornTail == nil, "seed \(seed), step \(step)")
        }
    }

    /// The name of a segment that a failed program made may not be on the disk yet.
    @Test(
        "loses nothing of a writer that goes on where another one failed, when the power goes",
        arguments: [false, true])
    func powerLostAfterError(opensAgain: Bool) throws {
        let saves = 40
        for step in 1...(try steps(saves: saves)) {
            let files = SimulatedFileSystem(seed: 77_000 + UInt64(step))
            _ = try run(files, saves: 0, expecting: [])
            let other = opensAgain ? nil : try open(files)
            files.fault = .noSpace
            files.faultStep = files.steps + step
            _ = try? run(files, saves: saves, expecting: [])
            files.fault = .none
            let next = try other ?? open(files)
            try next.save(Samples.oneNote(Int64(next.head.rawValue)))
            let acknowledged = try keys(next)
            let survivor = files.afterCrash()
            let keys = try keys(open(survivor))
            #expect(keys == acknowledged, "opens again: \(opensAgain), step \(step)")
        }
    }

    private func open(_ files: SimulatedFileSystem) throws -> SegmentLog {
        try SegmentLog.open(directory: "/log", forWriting: true, options: Self.options, fileSystem: files)
    }

    @Test("recovers again after a crash during recovery", arguments: 1...4 as ClosedRange<UInt64>)
    func crashDuringRecovery(seed: UInt64) throws {
        let total = try steps(saves: 20)
        for step in stride(from: 8, through: total, by: 3) {
            for second in 1...6 {
                let files = SimulatedFileSystem(seed: seed &* 1000 + UInt64(step))
                files.fault = .crash
                files.faultStep = step
                guard let acknowledged = try? run(files, saves: 20, expecting: []) else { continue }
                let again = files.afterCrash()
                again.fault = .crash
                again.faultStep = second
                let more = (try? run(again, saves: 1, expecting: acknowledged)) ?? acknowledged
                let final = try run(again.afterCrash(), saves: 1, expecting: more)
                #expect(final == (1...Int64(final.count)).map { $0 }, "seed \(seed), \(step), \(second)")
                #expect(final.count >= more.count, "seed \(seed), \(step), \(second)")
            }
        }
    }

    @Test(
        "appends nothing on a full disk, and goes on when there is space again",
        arguments: [LogOptions.heldSizeDefault, 50])
    func fullDisk(heldSizeMax: Int) throws {
        let options = Self.options(heldSizeMax: heldSizeMax)
        for step in 9...(try steps(saves: 20, options)) {
            let files = SimulatedFileSystem(seed: 3)
            files.fault = .noSpace
            files.faultStep = step
            let before = try run(files, saves: 20, expecting: [], options)
            files.fault = .none
            let after = try run(files, saves: 1, expecting: before, options)
            #expect(after == (1...Int64(after.count)).map { $0 }, "step \(step)")
            #expect(after.count > before.count, "step \(step)")
        }
    }

    @Test("is not poisoned by a full disk when it needs a new segment")
    func fullDiskAtRoll() throws {
        let files = SimulatedFileSystem(seed: 3)
        let log = try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, options: Self.options, fileSystem: files,
            date: Samples.date)
        let big = Samples.oneNote(1, title: String((0..<3500).map { _ in
            Character(UnicodeScalar(UInt8(files.random.next() % 94 + 33)))
        }))
        try log.save(big)
        // Sync, cut, sync; then the new segment is created and wants its space.
        files.faultStep = files.steps + 5
        files.fault = .noSpace
        let error = #expect(throws: LogError.self) { try log.save(big) }
        #expect(error?.code == .noSpace)
        try log.save(big)
        #expect(try log.all().count == 2)
    }

    @Test("acknowledges nothing after a failed sync until it is opened again")
    func poison() throws {
        let files = SimulatedFileSystem(seed: 5)
        let log = try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, options: Self.options, fileSystem: files,
            date: Samples.date)
        try log.save(Samples.oneNote(1))
        try log.exclusively { _ = try log.append(Samples.oneNote(2), header: Samples.header(2)) }
        files.faultStep = files.steps + 1
        files.fault = .ioError
        let first = #expect(throws: LogError.self) { try log.sync(through: 2) }
        #expect(first?.code == .ioFailed)
        let second = #expect(throws: LogError.self) { try log.sync(through: 2) }
        #expect(second?.code == .poisoned)
        let third = #expect(throws: LogError.self) { try log.save(Samples.oneNote(3)) }
        #expect(third?.code == .poisoned)
        let again = try SegmentLog.open(directory: "/log", forWriting: true, fileSystem: files)
        try again.save(Samples.oneNote(3))
        #expect(again.head == 3)
    }
}
