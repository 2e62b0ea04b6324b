import FirnLog
import Foundation
import TestSupport
import Testing

@Suite("Values that are erased from a log")
struct ErasureTests {
    private static let options = LogOptions(segmentSize: 4096)
    private static let secret = "Ada's secret, which nobody may find " + String(repeating: "secret ", count: 30)
    private static let object = ObjectKey(entity: EntityNumber(1), primaryKey: 3)

    private func update(_ key: Int64, _ old: String, _ new: String) -> LogRecord.Body {
        let group = ChangeGroup(
            entity: EntityNumber(1), operation: .update, primaryKeys: [key], slots: [0],
            new: [Column(.text, .text(new))], old: [Column(.text, .text(old))])
        return .changes(ChangeSet(model: 1, groups: [group]))
    }

    /// 60 notes over several segments; the third one has the secret, twice, and so has the dictionary.
    private func make(_ files: SimulatedFileSystem) throws -> SegmentLog {
        let log = try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, options: Self.options, fileSystem: files, date: Samples.date)
        try log.save(.model(Samples.model))
        for key in 1...60 as ClosedRange<Int64> {
            try log.save(Samples.oneNote(key, title: key == 3 ? Self.secret : "note \(key)"))
            if key == 20 {
                #expect(try LogMaintenance(log).adopt(dictionary: Array(("title note " + Self.secret).utf8)))
            }
            if key == 40 { try log.save(update(3, Self.secret, "gone")) }
        }
        return log
    }

    private func open(_ files: SimulatedFileSystem) throws -> SegmentLog {
        try SegmentLog.open(directory: "/log", forWriting: true, options: Self.options, fileSystem: files)
    }

    private func erase(_ log: SegmentLog, slots: [UInt16] = []) throws -> Int {
        try LogMaintenance(log).erase(Erasure(model: 1, object: Self.object, slots: slots), header: Samples.header(99))
    }

    /// The files that have the secret, as it is or in what they say.
    private func traces(_ files: SimulatedFileSystem) throws -> [String] {
        var found = try files.list("/log").filter { name in
            Data(files.contents("/log/" + name)).range(of: Data("secret".utf8)) != nil
        }
        let log = try SegmentLog.open(directory: "/log", forWriting: false, fileSystem: files)
        let replay = try log.replay()
        while let record = try replay.next() {
            if record.texts.joined().contains("secret") { found.append("record \(record.sequence)") }
        }
        return found
    }

    @Test("are in no record and no file, and the chain and what was signed of it hold")
    func erased() throws {
        let files = SimulatedFileSystem(seed: 1)
        let log = try make(files)
        #expect(try !traces(files).isEmpty)
        let before = try log.checkpoint(at: log.head)
        #expect(try erase(log) == 2)
        #expect(try traces(files) == [])
        try log.check(before)
        let report = try LogMaintenance(open(files)).verify()
        #expect(report.isSound && report.head == before.sequence.next.next, "\(report.problems)")
        #expect(try log.frame(at: 4).isRedacted && !log.frame(at: 5).isRedacted)
    }

    @Test("leave everything else as it was")
    func rest() throws {
        let files = SimulatedFileSystem(seed: 1)
        let log = try make(files)
        let before = try log.all()
        _ = try erase(log, slots: [0])
        let after = try log.all()
        for (old, new) in zip(before, after) where old != new {
            guard case .changes(let was) = old.body, case .changes(let now) = new.body else {
                Issue.record("\(old) became \(new)")
                continue
            }
            #expect(now.groups[0].primaryKeys == [3] && was.groups[0].operation == now.groups[0].operation)
            if now.groups[0].operation == .insert {
                #expect(now.groups[0].slots == [1, 2, 3] && now.groups[0].new == Array(was.groups[0].new[1...]))
            } else {
                // The present value: it came by the save that precedes an erasure, or later.
                #expect(now.groups[0].new == was.groups[0].new && now.groups[0].old[0].isNull(at: 0))
            }
            #expect(new.header.id == TransactionID(high: 0, low: 0))
        }
        #expect(zip(before, after).filter { $0 != $1 }.count == 2)
    }

    @Test("go from a baseline too")
    func baseline() throws {
        let files = SimulatedFileSystem(seed: 1)
        let log = try make(files)
        try LogMaintenance(log).trim(through: 30) { write in
            guard case .changes(let changes) = Samples.oneNote(3, title: Self.secret) else { return }
            try write(.rows(changes, versions: [[4]]))
        }
        #expect(try traces(files).count > 1)
        #expect(try erase(log) == 1)
        #expect(try traces(files) == [])
        #expect(try LogMaintenance(open(files)).verify().isSound)
    }

    @Test("do not include what was saved last, in a record or a baseline, before or after", arguments: [30, 48])
    func present(trimmed: UInt64) throws {
        let files = SimulatedFileSystem(seed: 1)
        let log = try make(files)
        try LogMaintenance(log).trim(through: SequenceNumber(trimmed)) { write in
            guard case .changes(let changes) = Samples.oneNote(3, title: trimmed < 42 ? Self.secret : "gone") else {
                return
            }
            try write(.rows(changes, versions: [[4]]))
        }
        #expect(try erase(log, slots: [0]) == (trimmed < 42 ? 1 : 0))
        // Neither in the dictionary, which no record or baseline with the value leads to any more.
        #expect(try traces(files) == [])
        var all: [String] = []
        let replay = try log.replay()
        while let record = try replay.next() { all += record.texts }
        #expect(all.contains("gone"))
    }

    @Test("are not in why a reader could not take a record either")
    func deadLetters() throws {
        let files = SimulatedFileSystem(seed: 1)
        let log = try make(files)
        try log.store(
            Subscription(
                name: "mail", checkpoint: 10, date: 1,
                deadLetters: [
                    .init(sequence: 4, date: 1, reason: "no such address: " + Self.secret),
                    .init(sequence: 5, date: 2, reason: "full"),
                ]))
        _ = try erase(log)
        #expect(try traces(files) == [])
        #expect(try log.subscription(named: "mail")?.deadLetters.map(\.reason) == ["erased", "full"])
    }

    @Test(
        "are gone, or as they were, on a disk that is full or fails",
        arguments: [
            SimulatedFileSystem.Fault.noSpace, .ioError,
        ])
    func failingDisk(fault: SimulatedFileSystem.Fault) throws {
        try interrupted(by: fault) { step, files, _, outcome in
            let opened = try open(files)
            #expect(try LogMaintenance(opened).verify().isSound, "step \(step)")
            guard outcome == nil else { return }
            _ = try LogMaintenance(opened).erase(
                LogMaintenance(opened).pendingErasure ?? Erasure(model: 1, object: Self.object),
                header: Samples.header(99))
            #expect(try traces(files) == [], "step \(step)")
            #expect(try LogMaintenance(opened).verify().isSound, "step \(step)")
        }
    }

    @Test("are gone too when another writer erases something else where that was interrupted")
    func otherErasure() throws {
        try interrupted(by: .noSpace) { step, files, other, _ in
            guard try LogMaintenance(other).pendingErasure != nil else { return }
            let object = ObjectKey(entity: EntityNumber(1), primaryKey: 5)
            _ = try LogMaintenance(other).erase(Erasure(model: 1, object: object), header: Samples.header(99))
            #expect(try traces(files) == [], "step \(step)")
            #expect(try LogMaintenance(open(files)).verify().isSound, "step \(step)")
        }
    }

    /// Calls `body` after an erasure with a fault at each of its steps, with a writer that was there before.
    private func interrupted(
        by fault: SimulatedFileSystem.Fault, _ body: (Int, SimulatedFileSystem, SegmentLog, Int?) throws -> Void
    ) throws {
        let trial = SimulatedFileSystem(seed: 1)
        let writers = (try make(trial), try open(trial))
        let first = trial.steps + 1
        _ = try erase(writers.0)
        for step in first...trial.steps {
            let files = SimulatedFileSystem(seed: UInt64(step))
            let (failing, other) = (try make(files), try open(files))
            files.fault = fault
            files.faultStep = step
            let outcome = try? erase(failing)
            files.fault = .none
            try body(step, files, other, outcome)
        }
    }

    @Test("twice, and another property later, is sound")
    func again() throws {
        let files = SimulatedFileSystem(seed: 1)
        let log = try make(files)
        #expect(try erase(log, slots: [0]) == 2)
        #expect(try erase(log, slots: [0]) == 0)
        #expect(try erase(log) == 2)
        try LogMaintenance(log).finishErasure()
        #expect(try LogMaintenance(log).pendingErasure == nil)
        #expect(try LogMaintenance(log).verify().isSound)
    }

    @Test("in a log that another process has open are read as erased by it")
    func otherReader() throws {
        let files = SimulatedFileSystem(seed: 1)
        let log = try make(files)
        let reader = try SegmentLog.open(directory: "/log", forWriting: false, fileSystem: files)
        #expect(try reader.record(at: 4).texts.joined().contains("secret"))
        _ = try erase(log)
        try reader.refresh()
        #expect(try reader.record(at: 4).texts == [])
    }

    @Test("are not given to a reader that has their segment open, of this process or not", arguments: [true, false])
    func openReader(isOwn: Bool) throws {
        let files = SimulatedFileSystem(seed: 1)
        let log = try make(files)
        let reading = isOwn ? log : try SegmentLog.open(directory: "/log", forWriting: false, fileSystem: files)
        let reader = try reading.records(after: .zero)
        #expect(try reader.next()?.sequence == 1)
        _ = try erase(log)
        try reading.refresh()
        var texts: [String] = []
        while let record = try reader.next() { texts += record.texts }
        #expect(texts.contains("note 60") && !texts.joined().contains("secret"))
    }

    @Test("in the rows of a migration are neither remembered nor put into a baseline by the writer that migrated")
    func migratedRows() throws {
        let files = SimulatedFileSystem(seed: 1)
        let log = try make(files)
        let other = try open(files)
        guard case .changes(let rows) = Samples.oneNote(3, title: Self.secret) else { return }
        var model = Samples.model
        model.migration = LogMigration(source: 1, highestNumber: EntityNumber(1), entities: [], rows: rows)
        let migrated = try log.save(.model(model))
        #expect(try erase(other) > 0)
        try log.refresh()
        #expect(try log.model(at: migrated).migration?.rows?.texts ?? [] == [])
        try LogMaintenance(log).trim(through: migrated) { _ in }
        #expect(try traces(files) == [])
    }

    /// The first segment was made again with a dictionary, and once more without it.
    @Test("in a log that another writer opened when it was empty do not make it lose what it saves then")
    func emptyWriter() throws {
        let files = SimulatedFileSystem(seed: 1)
        let log = try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, options: Self.options, fileSystem: files, date: Samples.date)
        let other = try open(files)
        #expect(try LogMaintenance(log).adopt(dictionary: Array(("title note " + Self.secret).utf8)))
        try log.save(.model(Samples.model))
        for key in 1...3 as ClosedRange<Int64> { try log.save(Samples.oneNote(key, title: Self.secret)) }
        #expect(try erase(log) > 0)
        try other.save(Samples.oneNote(4))
        #expect(other.head == log.head.next)
        #expect(try open(files).all().last?.body == Samples.oneNote(4))
        #expect(try LogMaintenance(open(files)).verify().isSound)
    }

    /// A model and a note that the power may take.
    private func makeUnsynced(_ files: SimulatedFileSystem) throws -> SegmentLog {
        let log = try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, options: Self.options, fileSystem: files, date: Samples.date)
        try log.exclusively {
            try log.append(.model(Samples.model), header: Samples.header(1))
            try log.append(Samples.oneNote(3, title: Self.secret), header: Samples.header(2))
        }
        return log
    }

    @Test("are remembered with a model that is durable, wherever the power goes", arguments: 1...12 as ClosedRange<Int>)
    func modelIsDurable(step: Int) throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            let files = SimulatedFileSystem(seed: seed)
            let log = try makeUnsynced(files)
            files.fault = .crash
            files.faultStep = files.steps + step
            _ = try? erase(log)
            let opened = try open(files.afterCrash())
            guard let begun = try LogMaintenance(opened).pendingErasure else { continue }
            #expect(opened.head >= begun.model, "seed \(seed)")
            guard opened.head >= begun.model else { continue }
            _ = try LogMaintenance(opened).erase(begun, header: Samples.header(99))
            #expect(try LogMaintenance(opened).verify().isSound, "seed \(seed)")
        }
    }

    @Test("are gone after whatever crash, once the erasure was gone on with", arguments: [1, 2] as [UInt64])
    func crashAtEveryStep(seed: UInt64) throws {
        let trial = SimulatedFileSystem(seed: seed)
        let log = try make(trial)
        let first = trial.steps + 1
        _ = try erase(log)
        for step in first...trial.steps {
            let files = SimulatedFileSystem(seed: seed &* 1000 + UInt64(step))
            let doomed = try make(files)
            let before = try doomed.checkpoint(at: doomed.head)
            files.fault = .crash
            files.faultStep = step
            _ = try? erase(doomed)
            let survivor = files.afterCrash()
            let opened = try open(survivor)
            let begun = try LogMaintenance(opened).pendingErasure
            #expect(begun != nil || step < first + 6, "seed \(seed), step \(step)")
            _ = try LogMaintenance(opened).erase(
                begun ?? Erasure(model: 1, object: Self.object), header: Samples.header(99))
            try LogMaintenance(opened).finishErasure()
            #expect(try traces(survivor) == [], "seed \(seed), step \(step)")
            let report = try LogMaintenance(opened).verify()
            #expect(report.isSound, "seed \(seed), step \(step): \(report.problems)")
            try opened.check(before)
            #expect(try opened.all().count { if case .changes = $0.body { true } else { false } } == 61)
        }
    }

    @Test("and then changed without an erasure that says so are found out")
    func forged() throws {
        let files = SimulatedFileSystem(seed: 1)
        let log = try make(files)
        let all = Array(try files.list("/log")).filter { $0.hasSuffix("segment") }.sorted()
        let old = files.contents("/log/" + all[0])
        _ = try erase(log)
        // The redacted segment in a log that never says that it was: the one before the erasure.
        let other = SimulatedFileSystem(seed: 1)
        _ = try make(other)
        #expect(other.contents("/log/" + all[0]) == old)
        other.replace("/log/" + all[0], with: files.contents("/log/" + all[0]))
        let report = try LogMaintenance(open(other)).verify()
        #expect(report.problems.map(\.sequence) == [4])
        #expect(report.problems.first?.message.contains("no erasure names its new digest") == true)
    }

    @Test("leave a segment in which flipped bytes are found out")
    func flippedBytes() throws {
        let files = SimulatedFileSystem(seed: 1)
        _ = try erase(try make(files))
        let path = "/log/00000000000000000001.segment"
        let sound = files.contents(path)
        for index in sound.indices where index < 1000 && index % 2 == 0 {
            var bytes = sound
            bytes[index] ^= 0x41
            files.replace(path, with: bytes)
            let log = try SegmentLog.open(directory: "/log", forWriting: false, fileSystem: files)
            #expect(try !LogMaintenance(log).verify().isSound, "byte \(index)")
        }
    }
}

extension LogRecord {
    /// All texts that the record, or the part of a baseline, has.
    fileprivate var texts: [String] {
        switch body {
        case .changes(let changes), .baseline(.rows(let changes, _)): changes.texts
        case .model(let model), .baseline(.model(_, let model)): model.migration?.rows?.texts ?? []
        default: []
        }
    }
}

extension ChangeSet {
    fileprivate var texts: [String] {
        groups.flatMap { $0.new + $0.old }.flatMap { column in
            (0..<column.count).compactMap { if case .text(let text) = column[$0] { text } else { nil } }
        }
    }
}
