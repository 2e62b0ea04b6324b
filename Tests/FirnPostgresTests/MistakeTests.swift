import FirnLog
import FirnPostgres
import Foundation
import TestSupport
import Testing

@Suite("Mistakes with a log on PostgreSQL", .needsPostgres)
struct MistakeTests {
    private func open(_ text: String) -> LogError? {
        guard let address = PostgresAddress(text) else { return nil }
        return logError { try PostgresLog.open(at: address) }
    }

    private func create(_ text: String) -> LogError? {
        guard let address = PostgresAddress(text) else { return nil }
        return logError { try PostgresLog.create(at: address, storeID: .random()) }
    }

    /// How many tables and functions there are beside the system's.
    private func objectCount(_ database: String) throws -> [String] {
        try PostgresServer.run(
            """
            select count(*) from pg_class where relnamespace not in
                (select oid from pg_namespace where nspname like 'pg%' or nspname = 'information_schema')
            """, at: database)
    }

    @Test("a wrong password is told, and never shown")
    func password() throws {
        let failure = open("postgresql://locked:wr0ng@127.0.0.1:\(PostgresServer.port)/postgres")
        #expect(failure?.code == .notPermitted)
        #expect(failure?.message.contains("password") == true)
        #expect(failure?.description.contains("wr0ng") == false)
    }

    @Test("the right password opens")
    func rightPassword() throws {
        let failure = open("postgresql://locked:right@127.0.0.1:\(PostgresServer.port)/postgres#none")
        // The user may look at nothing yet.
        #expect(failure?.code != .unreachable)
        #expect(failure?.message.contains("password") == false)
    }

    @Test("a database that is not there is told by name")
    func database() throws {
        let failure = open(PostgresServer.address(database: "nowhere"))
        #expect(failure?.code == .unreachable)
        #expect(failure?.message.contains("\"nowhere\" does not exist") == true)
    }

    @Test("a server that is not there is told")
    func server() throws {
        let failure = open("postgresql://ada@127.0.0.1:1/postgres")
        #expect(failure?.code == .unreachable)
        #expect(failure?.message.contains("Check that the server runs") == true, "\(failure?.message ?? "")")
        #expect(failure?.message.contains("password") == false)
        #expect(failure?.description.contains("ada@127.0.0.1:1") == true)
    }

    @Test("a user whom the address does not name is told")
    func defaultUser() throws {
        let failure = open("postgresql://127.0.0.1:1/postgres")
        #expect(failure?.message.hasPrefix("Cannot connect as ") == true, "\(failure?.message ?? "")")
    }

    @Test("advice is about what is wrong")
    func advice() throws {
        let port = PostgresServer.port
        let user = open("postgresql://nobody@127.0.0.1:\(port)/postgres")
        #expect(user?.message.contains("Check the user") == true, "\(user?.message ?? "")")
        let database = open(PostgresServer.address(database: "nowhere"))
        #expect(database?.message.contains("Check the database") == true, "\(database?.message ?? "")")
        let password = open("postgresql://locked:wr0ng@127.0.0.1:\(port)/postgres")
        #expect(password?.message.contains("Check user and password") == true, "\(password?.message ?? "")")
        let host = open("postgresql://postgres@nowhere.invalid/postgres")
        #expect(host?.message.contains("Check the host") == true, "\(host?.message ?? "")")
    }

    @Test("what a server says is shown without characters that control a terminal")
    func controlCharacters() throws {
        let database = try PostgresServer.newDatabase()
        let log = try PostgresLog.create(at: #require(PostgresAddress(database)), storeID: .random())
        try PostgresServer.run(
            """
            create function refuse() returns trigger language plpgsql as $$
            begin raise exception E'no\\x1b[31m\\tmore'; end $$;
            create trigger refuse before insert on firn.record for each row execute function refuse();
            """, at: database)
        let message = logError { try log.save("one") }?.message ?? ""
        #expect(message.contains("no\u{FFFD}[31m more"), "\(message.debugDescription)")
    }

    @Test("an option that libpq does not know is told")
    func option() throws {
        let failure = open(PostgresServer.address(database: "postgres?colour=red"))
        #expect(failure?.message.contains("colour") == true)
    }

    @Test("opening in an empty database says that there is no log, and writes nothing")
    func empty() throws {
        let database = try PostgresServer.newDatabase()
        #expect(open(database)?.code == .missing)
        #expect(try objectCount(database) == ["0"])
    }

    @Test("a name that the database does not have is told")
    func name() throws {
        let host = PostgresHost()
        _ = try host.create(.random())
        #expect(open(PostgresServer.address(database: "postgres") + "#nobody")?.code == .missing)
    }

    @Test("a schema of that name with other tables is left alone")
    func foreign() throws {
        let database = try PostgresServer.newDatabase()
        try PostgresServer.run("create schema firn; create table firn.trees (height int)", at: database)
        let before = try objectCount(database)
        #expect(open(database)?.code == .notALog)
        #expect(create(database)?.code == .notALog)
        #expect(try objectCount(database) == before)
    }

    @Test("a schema of another version is left alone", arguments: [0, 2])
    func version(_ version: Int) throws {
        let database = try PostgresServer.newDatabase()
        let address = try #require(PostgresAddress(database))
        try PostgresLog.create(at: address, storeID: .random()).close()
        try PostgresServer.run("update firn.format set version = \(version)", at: database)
        #expect(open(database)?.code == .unsupportedVersion)
        #expect(create(database + "#second")?.code == .unsupportedVersion)
        #expect(try PostgresServer.run("select count(*) from firn.store", at: database) == ["1"])
    }

    @Test("tables of another shape are told")
    func shape() throws {
        let database = try PostgresServer.newDatabase()
        let address = try #require(PostgresAddress(database))
        let log = try PostgresLog.create(at: address, storeID: .random())
        try PostgresServer.run("alter table firn.record rename column link to chain", at: database)
        #expect(logError { try log.end() }?.code == .notALog)
    }

    @Test("a store in the place of another one is told")
    func mixedUp() throws {
        let host = PostgresHost()
        _ = try host.create(.random())
        let failure = logError { try PostgresLog.open(at: host.address, expecting: .random()) }
        #expect(failure?.code == .storeMismatch)
    }

    @Test("a second store of the same name, or the same store under a second name, is refused")
    func twice() throws {
        let host = PostgresHost()
        let id = StoreID.random()
        _ = try host.create(id)
        #expect(logError { try host.create(.random()) }?.code == .alreadyExists)
        #expect(logError { try PostgresHost().create(id) }?.code == .alreadyExists)
    }

    @Test("a user who may not write is told so, and nothing is written")
    func permission() throws {
        let database = try PostgresServer.newDatabase()
        let address = try #require(PostgresAddress(database))
        let log = try PostgresLog.create(at: address, storeID: .random())
        try PostgresServer.run(
            "grant usage on schema firn to locked; grant select on all tables in schema firn to locked", at: database)
        let name = database[database.lastIndex(of: "/")!...]
        let other = try #require(PostgresAddress("postgresql://locked:right@127.0.0.1:\(PostgresServer.port)\(name)"))
        let reader = try PostgresLog.open(at: other)
        #expect(logError { try reader.save("one") }?.code == .notPermitted)
        #expect(try log.texts().isEmpty)
    }

    @Test("a store that was removed meanwhile is told")
    func removed() throws {
        let database = try PostgresServer.newDatabase()
        let address = try #require(PostgresAddress(database))
        let log = try PostgresLog.create(at: address, storeID: .random())
        try PostgresServer.run("delete from firn.store", at: database)
        #expect(logError { try log.end() }?.code == .replaced)
    }

    @Test("a record that was changed in the table is damage, with its number")
    func damage() throws {
        let host = PostgresHost()
        let log = try host.create(.random())
        try log.save("one", "two", "three")
        try PostgresServer.run(
            """
            update firn.record set frame = set_byte(frame, 40, get_byte(frame, 40) # 1)
            where store = '\(log.storeID)' and sequence = 2
            """, at: PostgresServer.address(database: "postgres"))
        let failure = logError { try log.texts() }
        #expect(failure?.code == .damaged)
        #expect(failure?.sequence == 2)
    }
}
