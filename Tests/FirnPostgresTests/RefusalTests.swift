import FirnLog
import FirnPostgres
import Foundation
import Synchronization
import TestSupport
import Testing

/// Each refusal says what to do, and leaves the server as it was.
@Suite("Servers that refuse", .needsPostgres)
struct RefusalTests {
    private func error(opening text: String) throws -> LogError? {
        let address = try #require(PostgresAddress(text))
        return logError { try PostgresLog.open(at: address) }
    }

    @Test("a standby is no place to write to, and can be read")
    func standby() throws {
        let pair = try PostgresPair()
        let addresses = try pair.ports.map {
            try #require(PostgresAddress("postgresql://postgres@127.0.0.1:\($0)/postgres"))
        }
        try PostgresLog.create(at: addresses[0], storeID: .random()).save("one")
        for refused in [
            logError { try PostgresLog.open(at: addresses[1]) },
            logError { try PostgresLog.create(at: addresses[1], storeID: .random()) },
        ] {
            #expect(refused?.message.contains("name the primary") == true, "\(refused?.message ?? "")")
        }
        let reader = try PostgresLog.open(at: addresses[1], forWriting: false)
        // The standby has it on disk when the primary says so, and shows it when it has read it again.
        while try reader.end().sequence < 1 {}
        #expect(try reader.texts() == ["one"])
    }

    @Test("a certificate that has expired is told, and what to look at")
    func expired() throws {
        let pair = try PostgresPair()
        let authority = try #require(try pair.perform("expired-tls").last)
        let address = "postgresql://postgres@127.0.0.1:\(pair.ports[0])/postgres?sslmode=verify-full&sslrootcert="
        // The server takes its new settings when it gets to it.
        var refused: LogError?
        repeat {
            refused = try error(opening: address + authority)
        } while refused?.message.contains("does not support SSL") == true
        #expect(refused?.code == .unreachable)
        #expect(refused?.message.contains("has not expired") == true, "\(refused?.message ?? "")")
    }

    @Test("a user who may not make a schema is told what to be granted, and nothing is written")
    func schema() throws {
        let database = try PostgresServer.newDatabase()
        let name = database[database.lastIndex(of: "/")!...]
        let address = try #require(
            PostgresAddress("postgresql://locked:right@127.0.0.1:\(PostgresServer.port)\(name)"))
        let refused = logError { try PostgresLog.create(at: address, storeID: .random()) }
        #expect(refused?.code == .notPermitted)
        #expect(refused?.message.contains("Grant this user") == true)
        #expect(try PostgresServer.run("select to_regnamespace('firn') is null", at: database) == ["t"])
    }

    @Test("a user who has as many connections as allowed is told")
    func connections() throws {
        let role = "crowded_" + UUID().uuidString.lowercased().filter { $0 != "-" }
        try PostgresServer.run(
            "create role \(role) login connection limit 0", at: PostgresServer.address(database: "postgres"))
        let refused = try error(opening: "postgresql://\(role)@127.0.0.1:\(PostgresServer.port)/postgres")
        #expect(refused?.code == .unreachable)
        #expect(refused?.message.contains("max_connections") == true, "\(refused?.message ?? "")")
    }

    @Test("an append that a timeout of the server's breaks off writes nothing", arguments: ["statement", "lock"])
    func timeout(_ kind: String) throws {
        let database = try PostgresServer.newDatabase()
        let log = try PostgresLog.create(at: #require(PostgresAddress(database)), storeID: .random())
        let run = try FrameEncoder().run([LogSamples.record("one")], after: log.end())
        let other = try OtherSession("begin; lock table firn.record in access exclusive mode", at: database)
        try log.set("\(kind)_timeout", to: "100")
        let refused = logError { try log.append(run) }
        try log.set("\(kind)_timeout", to: "0")
        other.end()
        #expect(refused?.code == .refused)
        #expect(refused?.message.contains("statement_timeout or lock_timeout") == true, "\(refused?.message ?? "")")
        #expect(try log.texts() == [])
        #expect(try log.append(run) == .appended)
    }

    @Test("a session that the server ended because it was idle is made anew")
    func idle() throws {
        let name = "idle" + UUID().uuidString.filter { $0 != "-" }
        let address = try #require(
            PostgresAddress(
                PostgresServer.address(database: "postgres") + "?application_name=\(name)#\(name)"))
        let log = try PostgresLog.create(at: address, storeID: .random())
        for text in ["one", "two"] {
            try log.set("idle_session_timeout", to: "20")
            try awaitEnd(of: name)
            try log.save(text)
        }
        #expect(try log.texts() == ["one", "two"])
    }

    @Test("a transaction that was idle for longer than the server allows is told, and nothing is left of it")
    func idleTransaction() throws {
        let name = "slow" + UUID().uuidString.filter { $0 != "-" }
        let address = try #require(
            PostgresAddress(
                PostgresServer.address(database: "postgres")
                    + "?application_name=\(name)&options=-c%20idle_in_transaction_session_timeout%3D1000#\(name)"))
        let server = try FolderServer()
        let source = try server.create(server.address, storeID: .random())
        try source.save("one")
        try source.trim(through: 1, knowing: 1) { _ in }
        server.onBaseline.withLock { action in
            action = { try self.awaitEnd(of: name) }
        }
        let refused = logError { try PostgresLog.create(at: address, storeID: source.storeID, continuing: source) }
        #expect(refused?.message.contains("idle-in-transaction") == true, "\(refused?.message ?? "")")
        #expect(logError { try PostgresLog.open(at: address) }?.code == .missing)
    }

    @Test("a server that is too old is told by its version")
    func old() throws {
        let server = try OldServer(version: "9.6.24")
        let refused = try error(
            opening: "postgresql://ada@127.0.0.1:\(server.port)/library?target_session_attrs=any&sslmode=disable"
                + "&gssencmode=disable")
        #expect(refused?.code == .unsupportedVersion)
        #expect(refused?.found == "9")
    }

    /// Waits until the server has no session of that name.
    private func awaitEnd(of name: String) throws {
        try PostgresServer.run(
            """
            do $$ begin
                while exists (select from pg_stat_activity where application_name = '\(name)') loop
                    perform pg_sleep(0.005), pg_stat_clear_snapshot();
                end loop;
            end $$
            """,
            at: PostgresServer.address(database: "postgres"))
    }
}
