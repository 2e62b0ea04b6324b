import Dispatch
import Firn
import FirnLog
import FirnPostgres
import Foundation
import TestSupport
import Testing

@Suite("Servers that are away and answer again", .needsPostgres)
final class AnsweringTests {
    private let proxy: CuttingProxy
    private let direct: String
    private let server: ServerBehindProxy

    init() throws {
        proxy = try CuttingProxy(serverPort: PostgresServer.port)
        let name = UUID().uuidString
        direct = PostgresServer.address(database: "postgres") + "#" + name
        server = ServerBehindProxy("postgresql://postgres@127.0.0.1:\(proxy.port)/postgres#\(name)")
        PostgresLog.register()
    }

    deinit { proxy.stop() }

    private func failure(_ body: () throws -> Void) -> LogError? {
        do {
            try body()
            return nil
        } catch {
            return (error as NSError).logError
        }
    }

    /// Whether it comes to be true.
    private func eventually(_ condition: () -> Bool) -> Bool {
        let never = DispatchSemaphore(value: 0)
        for _ in 0..<6000 {
            if condition() { return true }
            _ = never.wait(timeout: .now() + .milliseconds(10))
        }
        return false
    }

    private func problem(_ machine: Machine) -> LogError.Code? {
        (machine.store.sharedLogState?.problem as? LogError)?.code
    }

    @Test("a process that only reads knows when the server is away, and when it answers again")
    func reading() throws {
        let machine = try Machine(server.register())
        try Machine(direct).note("one")
        #expect(eventually { machine.store.sharedLogState?.head == 2 })
        let before = machine.store.sharedLogState?.lastContact ?? .distantFuture
        proxy.setAway(true)
        #expect(eventually { problem(machine) == .unreachable })
        proxy.setAway(false)
        #expect(eventually { problem(machine) == nil })
        #expect(machine.store.sharedLogState?.lastContact ?? .distantPast > before)
    }

    @Test("a process that only reads knows when the server lacks records that it has")
    func setBack() throws {
        let machine = try Machine(server.register())
        let writer = try Machine(direct)
        for text in ["one", "two"] { try writer.note(text) }
        #expect(eventually { machine.store.sharedLogState?.head == 3 })
        let log = try PostgresLog.open(at: #require(PostgresAddress(direct)))
        try PostgresServer.run(
            "delete from firn.record where store = '\(log.storeID)' and sequence > 2",
            at: PostgresServer.address(database: "postgres"))
        #expect(eventually { problem(machine) == .diverged })
        let state = try #require(machine.store.sharedLogState)
        #expect(state.knownHead == 2)
        #expect(state.head == 3)
        #expect((state.problem as? LogError)?.sequence == 2)
    }

    @Test("after a save failed others send nothing, until the server answered again")
    func saving() throws {
        let machine = try Machine(server.register())
        try machine.note("one")
        proxy.setAway(true)
        let first = failure { try machine.note("two") }
        #expect(first?.code == .unreachable || first?.code == .outcomeUnknown, "\(first?.message ?? "")")
        for _ in 0..<3 {
            let later = failure { try machine.save { _ in } }
            #expect(later?.code == .unreachable)
            #expect(later?.message.contains("nothing was sent") == true, "\(later?.message ?? "")")
        }
        proxy.setAway(false)
        #expect(eventually { (try? machine.save { _ in }) != nil })
        #expect(try Machine(direct).texts() == ["one", "two"])
    }

    @Test("a store that was opened while the server was away sends nothing either, until the server answered")
    func openedAway() throws {
        let address = server.register()
        let directory = try Machine(address).leave()
        proxy.setAway(true)
        let machine = try Machine(address, directory: directory)
        #expect(failure { try machine.note("one") }?.code == .unreachable)
        for _ in 0..<3 {
            let later = failure { try machine.save { _ in } }
            #expect(later?.message.contains("nothing was sent") == true, "\(later?.message ?? "")")
        }
        proxy.setAway(false)
        #expect(eventually { (try? machine.save { _ in }) != nil })
        #expect(try Machine(direct).texts() == ["one"])
    }

    @Test("a failed save has the follower ask the server at once, not only when it is time to look")
    func asking() throws {
        server.options.pollInterval = 3_600_000_000
        server.options.followerAddress = PostgresAddress(direct)
        let machine = try Machine(server.register())
        try machine.note("one")
        proxy.setAway(true)
        #expect(failure { try machine.note("two") } != nil)
        proxy.setAway(false)
        #expect(eventually { (try? machine.save { _ in }) != nil })
    }
}

/// Logs on the server of the tests, behind a proxy, under an address of their own kind: with options that no other
/// test has.
private final class ServerBehindProxy: @unchecked Sendable {
    private let address: String
    /// To be set before `register`.
    var options = PostgresOptions(timeout: 200_000, pollInterval: 50_000)

    init(_ address: String) { self.address = address }

    /// Returns an address of the kind.
    func register() -> String {
        let scheme = "proxy-" + UUID().uuidString.lowercased()
        SharedLogs.register(Kind(address: address, options: options), for: scheme)
        return scheme + "://server/database#Notes"
    }

    private struct Kind: SharedLogKind {
        let address: String
        let options: PostgresOptions
        let pause: Int64 = 0
        let watchesServer = true

        func place(of address: String) -> String? { address }
        func open(_ address: String, expecting: StoreID?) throws -> any ChangeLog {
            try PostgresLog.open(at: parsed(), expecting: expecting, options: options)
        }
        func create(_ address: String, storeID: StoreID) throws -> any ChangeLog {
            try PostgresLog.create(at: parsed(), storeID: storeID, options: options)
        }
        func destroy(_ address: String) throws { throw LogError(.refused, "No test destroys it.") }

        private func parsed() throws -> PostgresAddress { try #require(PostgresAddress(address)) }
    }
}
