import FirnLog
import FirnPostgres
import Synchronization
import TestSupport
import Testing

@Suite("Trimming and erasing at the same time", .needsPostgres)
struct UpkeepTests {
    private let database: String
    private let log: PostgresLog
    /// What is erased is looked for in it.
    private let copy: SegmentLog
    private let known: SequenceNumber

    init() throws {
        database = try PostgresServer.newDatabase()
        log = try PostgresLog.create(at: #require(PostgresAddress(database)), storeID: .random())
        let header = TransactionHeader(date: LogSamples.date, id: .random())
        let model = try FrameEncoder().run([(.model(LogSamples.model), header)], after: log.end())
        try #require(log.append(model) == .appended)
        known = try log.save("secret", "three").end.sequence
        copy = try SegmentLog.create(
            directory: "/copy", storeID: log.storeID, fileSystem: MemoryFileSystem(), date: 0)
        try copy.pull(from: log)
    }

    private func erase(_ log: PostgresLog) throws -> Int {
        let erasure = Erasure(model: 1, object: ObjectKey(entity: EntityNumber(1), primaryKey: 1))
        return try log.erase(
            erasure, header: TransactionHeader(date: LogSamples.date, id: .random()), lookingIn: copy)
    }

    private func trim(_ log: PostgresLog, whileMaking: () throws -> Void) throws {
        try log.trim(through: 2, knowing: known) { write in
            try whileMaking()
            try write(.keys([EntityNumber(1): 7]))
        }
    }

    @Test("a baseline that was made before values were erased is not put in force")
    func erasedMeanwhile() throws {
        let other = try PostgresLog.open(at: log.address)
        #expect(logError { try trim(log) { _ = try erase(other) } }?.code == .overtaken)
        #expect(try log.beginning().sequence == .zero)
        #expect(try PostgresServer.run("select count(*) from firn.baseline", at: database) == ["0"])
    }

    @Test("values are not taken to be erased if a baseline of them was put in force meanwhile")
    func trimmedMeanwhile() throws {
        // The erasure has read where the log begins, and its append waits for the store's row.
        let session = try OtherSession("begin; select from firn.store for update", at: database)
        let outcome = Outcome()
        runThreads(2) { [self] thread in
            if thread == 0 {
                let found = logError { try erase(log) }?.code
                outcome.code.withLock { $0 = found }
                outcome.isOver.withLock { $0 = true }
                return
            }
            waitForWaiting(outcome)
            session.perform(
                """
                update firn.store set floor = 2, floor_link = link, floor_date = date
                from firn.record where sequence = 2;
                delete from firn.record where sequence <= 2;
                insert into firn.baseline select id, 2, 0, 'secret' from firn.store; commit
                """)
            session.end()
        }
        #expect(outcome.code.withLock { $0 } == .overtaken)
        #expect(try log.end().sequence == known)
    }

    @Test("an append without an answer, whose record is trimmed before the next try, is told as unknown")
    func trimmedUnanswered() throws {
        let proxy = try CuttingProxy(serverPort: PostgresServer.port)
        defer { proxy.stop() }
        let name = database.split(separator: "/").last ?? ""
        let address = try #require(PostgresAddress("postgresql://postgres@127.0.0.1:\(proxy.port)/\(name)"))
        let cut = try PostgresLog.open(at: address)
        let run = try FrameEncoder().run([LogSamples.record("four")], after: log.end())
        // The append waits for the store's row, and is made when nobody waits for the answer any more.
        let session = try OtherSession("begin; select from firn.store for update", at: database)
        let outcome = Outcome()
        runThreads(2) { [self] thread in
            if thread == 0 {
                let found = logError { try cut.append(run) }?.code
                outcome.code.withLock { $0 = found }
                outcome.isOver.withLock { $0 = true }
                return
            }
            waitForWaiting(outcome)
            proxy.setAway(true)
            session.perform("commit")
            session.end()
            while (try? log.end()) != run.end, !outcome.isOver.withLock({ $0 }) {}
            _ = try? log.save("five")
            _ = try? log.trim(through: run.end.sequence.next, knowing: run.end.sequence.next) { _ in }
            proxy.setAway(false)
        }
        #expect(outcome.code.withLock { $0 } == .outcomeUnknown)
        #expect(try log.beginning().sequence == run.end.sequence.next)
        #expect(try log.texts() == [])
    }

    /// Returns when a session waits for a lock, or nothing is waited for any more.
    private func waitForWaiting(_ outcome: Outcome) {
        let waiting = "select count(*) from pg_stat_activity where datname = current_database() and "
            + "wait_event_type = 'Lock'"
        while !outcome.isOver.withLock({ $0 }), (try? PostgresServer.run(waiting, at: database)) != ["1"] {}
    }

    private final class Outcome: Sendable {
        let code = Mutex<LogError.Code?>(nil)
        let isOver = Mutex(false)
    }
}
