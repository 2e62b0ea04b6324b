import FirnLog
import FirnPostgres
import Synchronization
import TestSupport
import Testing

@Suite("The statement that appends", .needsPostgres)
struct AppendStatementTests {
    private let database: String
    private let log: PostgresLog

    init() throws {
        database = try PostgresServer.newDatabase()
        log = try PostgresLog.create(at: #require(PostgresAddress(database)), storeID: .random())
    }

    @Test("is sent whole where the server does not know what it has planned, as behind PgBouncer")
    func forgotten() throws {
        try PostgresServer.run(
            """
            create function forget() returns trigger language plpgsql as $$
            begin execute 'deallocate all'; return null; end $$;
            create trigger forget after insert on firn.record for each row execute function forget();
            """, at: database)
        for text in ["one", "two", "three"] { try log.save(text) }
        #expect(try log.texts() == ["one", "two", "three"])
    }

    @Test("is planned once for a connection")
    func planned() throws {
        try PostgresServer.run(
            """
            create table seen (count bigint);
            create function look() returns trigger language plpgsql as $$
            begin insert into seen select generic_plans + custom_plans from pg_prepared_statements; return null; end $$;
            create trigger look after insert on firn.record for each row execute function look();
            """, at: database)
        for text in ["one", "two", "three"] { try log.save(text) }
        #expect(try PostgresServer.run("select * from seen", at: database) == ["1", "2", "3"])
    }

    @Test("is planned anew when the table has become large")
    func replanned() throws {
        try log.save("one")
        try PostgresServer.run(
            """
            alter table firn.record_of_any set (autovacuum_enabled = false);
            analyze firn.record;
            create table seen (count bigint);
            create function look() returns trigger language plpgsql as $$
            begin
                insert into seen select seq_tup_read from pg_stat_xact_user_tables where relname = 'record_of_any';
                return null;
            end $$;
            """, at: database)
        // The server keeps a plan from the sixth time on.
        for _ in 1...10 { try log.save("few") }
        try PostgresServer.run(
            """
            insert into firn.record select gen_random_uuid(), 1, 1, 1, '', '', null from generate_series(1, 20000);
            create trigger look after insert on firn.record for each row execute function look()
            """, at: database)
        for _ in 1...100 { try log.save("many") }
        let counts = try PostgresServer.run("select count from seen", at: database).compactMap { Int($0) }
        #expect(counts.count == 100)
        #expect(counts.last.map { $0 < 1000 } == true, "\(counts)")
    }

    @Test("meets what became of the log while it waited", arguments: ["cut off", "removed"])
    func waited(_ change: String) throws {
        let place = try log.save("one").end
        let run = try FrameEncoder().run([LogSamples.record("two")], after: place)
        let other = try OtherSession("begin; select from firn.store for update", at: database)
        let outcome = Mutex<AppendOutcome?>(nil)
        let isOver = Mutex(false)
        runThreads(2) { [log, database] thread in
            if thread == 0 {
                let found = try? log.append(run)
                outcome.withLock { $0 = found }
                isOver.withLock { $0 = true }
                return
            }
            let waiting = "select count(*) from pg_stat_activity where datname = current_database() and "
                + "wait_event_type = 'Lock'"
            while !isOver.withLock({ $0 }), (try? PostgresServer.run(waiting, at: database)) != ["1"] {}
            // Another record came in its place and was cut off with those before, or all of them were removed.
            other.perform(
                "delete from firn.record; "
                    + (change == "removed"
                        ? "delete from firn.store"
                        : "update firn.store set floor = 2, floor_link = sha256('two')")
                    + "; commit")
            other.end()
        }
        guard case .conflict(let end) = outcome.withLock({ $0 }) else { throw LogError(.damaged, "no conflict") }
        #expect(end.sequence == (change == "removed" ? 0 : 2))
        #expect(try PostgresServer.run("select count(*) from firn.record", at: database) == ["0"])
    }
}
