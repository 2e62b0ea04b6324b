import FirnLog
import FirnPostgres
import Foundation
import TestSupport
import Testing

/// `FIRN_SIMULATIONS` says how many seeds (50), `FIRN_SEED` the first one; on PostgreSQL a fifth of them.
@Suite("Random programs of machines that share a log")
struct SharedSimulationTests {
    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
    }

    private static let first = number("FIRN_SEED") ?? UInt64.random(in: 0...1 << 40)
    private static let count = number("FIRN_SIMULATIONS") ?? 50

    @Test("on a server that loses requests and answers: everything that must hold does, after each step")
    func folder() throws {
        for seed in Self.first..<Self.first + Self.count {
            let server = try FolderServer()
            defer { server.remove() }
            do {
                var simulation = try SharedSimulation(server.address, seed: seed) { server.set($0) }
                try simulation.run(steps: 25)
            } catch {
                Issue.record("FIRN_SEED=\(seed) FIRN_SIMULATIONS=1: \(error)")
                return
            }
        }
    }

    @Test("on PostgreSQL: everything that must hold does, after each step", .needsPostgres)
    func postgres() throws {
        PostgresLog.register()
        for seed in Self.first..<Self.first + max(1, Self.count / 5) {
            do {
                let address = PostgresServer.address(database: "postgres") + "#" + UUID().uuidString
                var simulation = try SharedSimulation(address, seed: seed)
                try simulation.run(steps: 25)
            } catch {
                Issue.record("FIRN_SEED=\(seed) FIRN_SIMULATIONS=1: \(error)")
                return
            }
        }
    }
}
