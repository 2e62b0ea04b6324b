import FirnLog
import FirnPostgres
import Synchronization
import TestSupport
import Testing

@Suite("Servers that die", .needsPostgres, .serialized)
struct FailoverTests {
    private func address(_ pair: PostgresPair) throws -> PostgresAddress {
        try #require(
            PostgresAddress("postgresql://postgres@127.0.0.1:\(pair.ports[0]),127.0.0.1:\(pair.ports[1])/postgres"))
    }

    @Test("four writers and four followers lose nothing when the primary is killed and the standby promoted")
    func failover() throws {
        let pair = try PostgresPair()
        let address = try address(pair)
        let conductor = try PostgresLog.create(at: address, storeID: .random(), options: Writer.options)
        let acknowledged = Mutex<[String]>([])
        let problems = Mutex<[String]>([])
        let isDone = Atomic(false)
        let followed = Mutex<[[String]]>(Array(repeating: [], count: 4))
        let watches = Mutex<[any LogWatch]>([])
        // Without a writer's last record its followers would wait for ever.
        @Sendable func endFollowers() { for watch in watches.withLock({ $0 }) { watch.cancel() } }
        runThreads(9) { thread in
            do {
                switch thread {
                case 0:
                    defer { isDone.store(true, ordering: .releasing) }
                    let watch = try conductor.watch()
                    _ = try watch.wait(after: 100)
                    try pair.perform("kill-primary")
                    try pair.perform("promote")
                    _ = try watch.wait(after: SequenceNumber(try conductor.end().sequence.rawValue + 100))
                case 1...4:
                    let writer = try Writer(address)
                    var number = 0
                    while !isDone.load(ordering: .acquiring) {
                        let text = "\(thread).\(number)"
                        try writer.save(text)
                        acknowledged.withLock { $0.append(text) }
                        number += 1
                    }
                    try writer.save("end of \(thread)")
                    acknowledged.withLock { $0.append("end of \(thread)") }
                default:
                    let follower = try Writer(address)
                    let watch = try follower.log.watch()
                    watches.withLock { $0.append(watch) }
                    if problems.withLock({ !$0.isEmpty }) { watch.cancel() }
                    let texts = try follower.follow(watch) { $0.filter { $0.hasPrefix("end") }.count == 4 }
                    followed.withLock { $0[thread - 5] = texts }
                }
            } catch {
                problems.withLock { $0.append("thread \(thread): \(error)") }
                isDone.store(true, ordering: .releasing)
                endFollowers()
            }
        }
        #expect(problems.withLock { $0 } == [])
        let texts = try conductor.texts()
        #expect(texts.count > 200)
        #expect(texts.sorted() == acknowledged.withLock { $0.sorted() })
        #expect(followed.withLock { $0 } == Array(repeating: texts, count: 4))
    }

    @Test("nothing is acknowledged while the standby is away, and a broken-off wait is no acknowledgement")
    func standbyAway() throws {
        let pair = try PostgresPair()
        let address = try address(pair)
        let patient = try PostgresLog.create(at: address, storeID: .random())
        let start = try patient.save("one").end
        let log = try PostgresLog.open(at: address, options: PostgresOptions(timeout: 0, answerTimeout: 2_000_000))
        try pair.perform("stop-standby")
        let run = try FrameEncoder().run([LogSamples.record("two")], after: start)
        #expect(unknown { try log.append(run) })
        // Whoever waits is told to stop waiting: the record is there then, on one disk.
        let primary = "postgresql://postgres@127.0.0.1:\(pair.ports[0])/postgres"
        try PostgresServer.run(
            "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'", at: primary)
        #expect(unknown { try log.append(run) })
        try pair.perform("start-standby")
        #expect(try patient.append(run) == .duplicate)
        #expect(try patient.texts() == ["one", "two"])
    }

    @Test("an append whose wait for the standby is cancelled while it goes on is not acknowledged")
    func cancelledWait() throws {
        let pair = try PostgresPair()
        let log = try PostgresLog.create(
            at: address(pair), storeID: .random(), options: PostgresOptions(timeout: 0, answerTimeout: 300_000_000))
        let run = try FrameEncoder().run([LogSamples.record("one")], after: log.end())
        try pair.perform("stop-standby")
        let isUnknown = Mutex(false)
        runThreads(2) { thread in
            if thread == 0 {
                let found = unknown { try log.append(run) }
                isUnknown.withLock { $0 = found }
                return
            }
            let primary = "postgresql://postgres@127.0.0.1:\(pair.ports[0])/postgres"
            let cancel = "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'"
            while (try? PostgresServer.run(cancel, at: primary)) == [] {}
        }
        #expect(isUnknown.withLock { $0 })
        try pair.perform("start-standby")
        #expect(try log.append(run) == .duplicate)
    }

    private func unknown(_ body: () throws -> some Any) -> Bool {
        do {
            _ = try body()
            return false
        } catch {
            return (error as? LogError)?.code == .outcomeUnknown
        }
    }
}

/// A program on another machine.
private struct Writer {
    static let options = PostgresOptions(timeout: 60_000_000, answerTimeout: 5_000_000, pollInterval: 500_000)

    let log: PostgresLog

    init(_ address: PostgresAddress) throws { log = try PostgresLog.open(at: address, options: Self.options) }

    /// Appends a record of that text; after other writers' if they were faster.
    func save(_ text: String) throws {
        let encoder = FrameEncoder()
        let record = LogSamples.record(text)
        while true {
            let run = try encoder.run([record], after: log.end())
            if case .conflict = try log.append(run) { continue }
            return
        }
    }

    /// The texts of all records as they come, until there are enough.
    func follow(_ watch: any LogWatch, until isEnough: ([String]) -> Bool) throws -> [String] {
        let decoder = FrameDecoder()
        var place = try log.beginning()
        var texts: [String] = []
        while !isEnough(texts) {
            guard try watch.wait(after: place.sequence) else { break }
            let run = try log.frames(after: place, sizeMax: 1 << 16)
            texts += try decoder.records(run, place: log.place).map(LogSamples.text)
            place = run.end
        }
        return texts
    }
}
