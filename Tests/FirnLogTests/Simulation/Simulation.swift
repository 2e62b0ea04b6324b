import FirnLog
import TestSupport

/// A random program of two writers, two followers and a subscription on one log, on a disk that fails.
///
/// After each step everything that must hold is checked, against a plain model of what was saved:
/// 1. what was acknowledged is there;  2. numbers have no gaps, and every record is the one that was saved;
/// 3. a follower gets each record once, in order, or a baseline;  4. what replaying gives is the model's rows, with
/// their versions;  5. the models are there, also of what was cut off;  7. the last keys are there;  8. checksums and
/// chain hold, and what a subscription has not seen was not cut off;  9. positions tell lost records from others.
struct Simulation {
    struct Violation: Error, CustomStringConvertible {
        var description: String
    }

    private static let options = LogOptions(segmentSize: 4096)

    /// The first writer holds no record in memory: it writes piece by piece.
    private static func options(writer index: Int) -> LogOptions {
        var options = options
        if index == 0 { options.heldSizeMax = 50 }
        return options
    }

    private var random: SeededGenerator
    private var files: SimulatedFileSystem
    private var history = SimulatedHistory()
    private var writers: [SegmentLog] = []
    private var followers: [Follower] = []
    /// What the subscription was stored with.
    private var subscribed = 0
    private var trace: [String] = []
    /// Positions of records that a follower read and the power took.
    private var lost: [LogPosition] = []

    private struct Follower {
        var log: SegmentLog
        var reader: LogReader?
        var position: Int
        /// The position of a record that was read.
        var seen: LogPosition = 0
    }

    init(seed: UInt64, liesAboutSync: Bool = false) throws {
        random = SeededGenerator(seed: seed)
        files = SimulatedFileSystem(seed: seed ^ 0x5EED)
        _ = try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, options: Self.options, fileSystem: files, date: Samples.date)
        files.liesAboutSync = liesAboutSync
        try open()
    }

    /// Runs so many steps. Throws what does not hold, with the steps that led there.
    mutating func run(steps: Int) throws {
        for _ in 0..<steps {
            do {
                try step()
                try check()
            } catch let violation as Violation {
                throw Violation(description: "\(violation) after \(trace.joined(separator: ", "))")
            } catch {
                throw Violation(description: "\(error) after \(trace.joined(separator: ", "))")
            }
        }
    }

    private mutating func chance(_ count: UInt64) -> Bool { random.next() % count == 0 }

    private mutating func step() throws {
        if chance(4) { arm() }
        let kind = random.next() % 14
        let writer = Int(random.next() % 2)
        var isInterrupted = false
        do {
            switch kind {
            case 0...4: try save(writer)
            case 5: try reopen(writer)
            case 6: try subscribe(writer)
            case 7: try trim(writer)
            case 8: try adopt(writer)
            case 9: try migrate(writer)
            case 10: try erase(writer)
            case 11: try pack(writer)
            default: try follow(Int(random.next() % 2))
            }
        } catch let error as LogError where files.isDead || files.hasFailed || Self.asksToReopen(error) {
            trace.append("\(error.code)")
            isInterrupted = true
            if Self.asksToReopen(error) {
                files.fault = .none
                try reopen(writer)
            }
        }
        if files.isDead {
            if chance(2) { try kill(writer) } else { try crash() }
        } else if files.hasFailed, files.fault != .noSpace || chance(2) {
            try restart()
        } else if files.hasFailed || isInterrupted {
            try resume(with: writer)
        }
    }

    /// Whether a program that continues after an error has to open the log again.
    private static func asksToReopen(_ error: LogError) -> Bool { error.code == .poisoned || error.code == .closed }

    /// Lets one of the next operations fail.
    private mutating func arm() {
        files.fault = [.crash, .crash, .noSpace, .ioError][Int(random.next() % 4)]
        files.faultStep = files.steps + 1 + Int(random.next() % 12)
        trace.append("\(files.fault) in \(files.faultStep - files.steps)")
    }

    /// The header of a record: no other one is the same.
    private mutating func header(_ number: UInt64) -> TransactionHeader {
        var header = Samples.header(number)
        header.id.high = random.next()
        return header
    }

    private mutating func save(_ index: Int) throws {
        let count = 1 + Int(random.next() % 3)
        let isSynced = !chance(3)
        trace.append("writer \(index) saves \(count)\(isSynced ? "" : " unsynced")")
        let bodies = (0..<count).map { _ in history.makeBody(&random) }
        let log = writers[index]
        try log.exclusively {
            for body in bodies {
                try log.append(body, header: header(log.head.rawValue + 1))
            }
        }
        if isSynced {
            try log.sync(through: log.head)
            history.acknowledged = history.count
        }
    }

    private mutating func migrate(_ index: Int) throws {
        guard history.count > 0 else { return }
        let withRows = chance(2)
        trace.append("writer \(index) migrates\(withRows ? " all rows" : "")")
        let body = history.makeMigration(withRows: withRows)
        let log = writers[index]
        let sequence = try log.exclusively {
            try log.append(body, header: header(log.head.rawValue + 1))
        }
        try log.sync(through: sequence)
        history.acknowledged = history.count
    }

    /// Erases an object that is or was there.
    private mutating func erase(_ index: Int) throws {
        let last = history.lastKey(at: history.count)
        guard last > 0 else { return }
        let key = Int64(random.next() % UInt64(last)) + 1
        trace.append("writer \(index) erases \(key)")
        let object = ObjectKey(entity: EntityNumber(1), primaryKey: key)
        try erase(Erasure(model: history.model(at: history.count), object: object), with: writers[index])
    }

    private mutating func erase(_ erasure: Erasure, with log: SegmentLog) throws {
        _ = try LogMaintenance(log).erase(erasure, header: Samples.header(0))
        history.erase(erasure.object.primaryKey)
        try takeErasures(from: log)
        history.acknowledged = history.count
        try LogMaintenance(log).finishErasure()
        try checkErased()
    }

    /// No file may be left that is not of the log any more: it may have the erased values.
    private func checkErased() throws {
        let log = try openForReading()
        let stale = try files.list("/log").filter { name in
            name.hasSuffix(Format.unfinishedSuffix) || Format.isDictionary(named: name)
                || Format.firstSequence(ofSegmentNamed: name).map { $0 < log.first } ?? false
                || Format.lastSequence(ofBaselineNamed: name).map { $0 != log.baseline } ?? false
        }
        guard stale.isEmpty else { throw Violation(description: "left after an erasure: \(stale.sorted())") }
    }

    private func openForReading() throws -> SegmentLog {
        try SegmentLog.open(directory: "/log", forWriting: false, options: Self.options, fileSystem: files)
    }

    /// An erasure appends records that say so, of which only the log knows how many and what is in them.
    private mutating func takeErasures(from log: SegmentLog) throws {
        while log.head.rawValue > UInt64(history.count) {
            let record = try log.record(at: SequenceNumber(UInt64(history.count + 1)))
            guard case .erasure = record.body else {
                throw Violation(description: "nobody saved record \(record.sequence): \(record.body)")
            }
            history.append(record.body)
        }
    }

    private mutating func reopen(_ index: Int) throws {
        trace.append("writer \(index) opens again")
        if writers[index] !== writers[1 - index] { writers[index].close() }
        writers[index] = try SegmentLog.open(
            directory: "/log", forWriting: true, options: Self.options(writer: index), fileSystem: files)
    }

    private mutating func subscribe(_ index: Int) throws {
        let least = max(subscribed, Int(writers[index].baseline.rawValue))
        let place = min(least + Int(random.next() % 8), history.acknowledged)
        guard place >= subscribed else { return }
        trace.append("subscription at \(place)")
        let old = subscribed
        subscribed = place
        do {
            let position = LogPosition(SequenceNumber(UInt64(place)))
            try writers[index].store(Subscription(name: "one", checkpoint: position, date: 0))
        } catch {
            subscribed = old
            throw error
        }
    }

    private mutating func trim(_ index: Int) throws {
        let log = writers[index]
        guard let seen = try log.seenByAllSubscriptions(), seen > .zero else { return }
        let last = Int(random.next() % seen.rawValue) + 1
        trace.append("writer \(index) trims through \(last)")
        let history = history
        try LogMaintenance(log).trim(through: SequenceNumber(UInt64(last))) { try history.baseline(at: last, $0) }
    }

    private mutating func adopt(_ index: Int) throws {
        let words = (0..<10).map { _ in "note \(random.next() % 1000)xxxx" }
        trace.append("writer \(index) takes a dictionary")
        _ = try LogMaintenance(writers[index]).adopt(dictionary: Array(words.joined().utf8))
    }

    private mutating func pack(_ index: Int) throws {
        trace.append("writer \(index) packs")
        try LogMaintenance(writers[index]).pack()
    }

    /// Reads some records; a reader whose records were cut off starts again with the baseline.
    private mutating func follow(_ index: Int) throws {
        trace.append("follower \(index) at \(followers[index].position)")
        for _ in 0...(random.next() % 10) {
            do {
                let follower = followers[index]
                let reader = try follower.reader
                    ?? follower.log.records(after: SequenceNumber(UInt64(follower.position)))
                followers[index].reader = reader
                guard let record = try reader.next() else { return }
                guard record.sequence.rawValue == UInt64(follower.position + 1), follower.position < history.count,
                    (history.earlier[follower.position] + [history.bodies[follower.position]]).contains(record.body)
                else { throw Violation(description: "follower \(index) got \(record) after \(follower.position)") }
                followers[index].position += 1
                // One of an erasure comes again as it was.
                if case .erasure = record.body { continue }
                followers[index].seen = record.position
            } catch let error as LogError where error.code == .missing {
                try followers[index].log.refreshBeginning()
                let baseline = Int(followers[index].log.baseline.rawValue)
                guard baseline > followers[index].position else { throw error }
                followers[index].position = baseline
                followers[index].reader = nil
            }
        }
    }

    /// The power goes and comes back: what was not synced may be gone, in any pieces.
    private mutating func crash() throws {
        let lies = files.liesAboutSync
        files = files.afterCrash()
        files.liesAboutSync = lies
        trace.append("power lost")
        for index in followers.indices {
            followers[index].position = min(followers[index].position, history.acknowledged)
        }
        try open()
    }

    /// A program is killed, and the other one continues with what it has open. Until the first one is started again,
    /// the other one does its work too.
    private mutating func kill(_ index: Int) throws {
        files.revive()
        trace.append("writer \(index) killed")
        if writers[0] === writers[1] { return try open() }
        writers[index] = writers[1 - index]
        try resume(with: index)
    }

    /// Programs continue after one of them was killed, or found the disk full.
    private mutating func resume(with index: Int) throws {
        if files.hasFailed { files.revive() }
        let log = try openForReading()
        try takeErasures(from: log)
        try truncate(to: log)
        guard let erasure = try LogMaintenance(log).pendingErasure else { return }
        do { try erase(erasure, with: writers[index]) } catch let error as LogError where Self.asksToReopen(error) {
            try reopen(index)
            try erase(erasure, with: writers[index])
        }
    }

    /// Forgets what is not in the log, and learns what an interrupted step did.
    private mutating func truncate(to log: SegmentLog) throws {
        let head = Int(log.head.rawValue)
        guard head >= history.acknowledged, head <= history.count else {
            throw Violation(
                description: "the log ends at \(head), acknowledged are \(history.acknowledged) of \(history.count)")
        }
        history.truncate(to: head)
        // Of an interrupted store either place is right.
        subscribed = Int(try log.subscription(named: "one")?.checkpoint.sequence.rawValue ?? UInt64(subscribed))
    }

    /// A program that got an error ends, and is started again.
    private mutating func restart() throws {
        files.fault = .none
        files.hasFailed = false
        trace.append("started again")
        try open()
    }

    private mutating func open() throws {
        writers = try (0..<2).map { index in
            try SegmentLog.open(
                directory: "/log", forWriting: true, options: Self.options(writer: index), fileSystem: files)
        }
        try takeErasures(from: writers[0])
        try truncate(to: writers[0])
        history.acknowledged = history.count
        // What was begun before the power went is going to happen.
        if let erasure = try LogMaintenance(writers[0]).pendingErasure { try erase(erasure, with: writers[0]) }
        let (old, head) = (followers, writers[0].head)
        lost += old.map(\.seen).filter { $0.sequence > head }
        followers = try (0..<2).map { index in
            let position = min(index < old.count ? old[index].position : 0, history.count)
            let seen = index < old.count && old[index].seen.sequence <= head ? old[index].seen : 0
            return Follower(log: try openForReading(), reader: nil, position: position, seen: seen)
        }
    }

    private func check() throws {
        let log = try openForReading()
        let report = try LogMaintenance(log).verify()
        guard report.isSound else { throw Violation(description: "not sound: \(report.problems)") }
        guard log.head.rawValue == UInt64(history.count) else {
            throw Violation(description: "the log ends at \(log.head), saved are \(history.count)")
        }
        guard followers.map(\.seen).allSatisfy(log.agrees),
            !lost.contains(where: { $0.sequence >= log.baseline && log.agrees(with: $0) })
        else { throw Violation(description: "positions \(followers.map(\.seen)) of the log, \(lost) of lost records") }
        let baseline = Int(log.baseline.rawValue)
        guard baseline <= subscribed else {
            throw Violation(description: "cut off at \(baseline), the subscription is at \(subscribed)")
        }
        var rows: [Int64: SimulatedHistory.Row] = [:]
        var next = baseline + 1
        var keys: Int64 = 0
        let replay = try log.replay()
        while let record = try replay.next() {
            switch record.body {
            case .baseline(.rows(let changes, let versions)):
                SimulatedHistory.apply(changes, to: &rows) { versions[0][$0] }
            case .baseline(.keys(let last)): keys = last[EntityNumber(1)] ?? 0
            case .baseline(.model): break
            default:
                guard record.sequence.rawValue == UInt64(next), record.body == history.bodies[next - 1] else {
                    throw Violation(
                        description: "\(record) is not what was saved as \(next): \(history.bodies[next - 1])")
                }
                SimulatedHistory.apply(record.body, at: Int64(next), to: &rows)
                next += 1
            }
        }
        guard rows == history.rows(at: history.count) else { throw Violation(description: "other rows") }
        guard keys == history.lastKey(at: baseline) else { throw Violation(description: "other keys") }
        guard history.count > 0 else { return }
        let model = history.model(at: history.count)
        let current = try log.currentModel?.sequence
        guard current == model else {
            throw Violation(description: "the current model is that of \(current as Any), not of \(model)")
        }
        var (found, expected) = (try log.model(at: model), history.bodies[Int(model.rawValue) - 1])
        // A baseline has what is left of the rows that a migration wrote, and no need of them.
        if model <= log.baseline, case .model(var body) = expected {
            body.migration?.rows = nil
            found.migration?.rows = nil
            expected = .model(body)
        }
        guard .model(found) == expected else {
            throw Violation(description: "the model of record \(model) is another one")
        }
    }
}
