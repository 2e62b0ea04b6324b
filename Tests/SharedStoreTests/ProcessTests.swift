import Foundation
import TestSupport
import Testing

@Suite("Processes that save to a log on PostgreSQL and follow it", .needsPostgres, .serialized)
struct ProcessTests {
    /// Runs four savers and four followers, each on a copy of its own, while they are killed again and again.
    private func run(_ address: String, seconds: Int) throws {
        let folder = try TemporaryDirectory()
        let seed = SeededGenerator().seed % 1_000_000
        let result = try BuiltProgram("Torture").run(
            "run", folder.url.path, BuiltProgram("firn").url.path, "\(seconds)", "\(seed)", address)
        #expect(result.status == 0, "seed \(seed): \(result)")
        #expect(result.output.contains("all held"))
        #expect(!result.complaints.contains("*** "), "one of them crashed: \(result.complaints)")
    }

    @Test("lose nothing that was acknowledged, make nothing twice, and end with equal copies while they are killed")
    func processes() throws {
        try run(PostgresServer.address(database: "postgres") + "#" + UUID().uuidString, seconds: 6)
    }

    @Test("so too while the primary is killed and its standby takes over")
    func failover() throws {
        let pair = try PostgresPair()
        let ports = pair.ports.map { "\($0)" }.joined(separator: ",")
        let address = "postgresql:///postgres?host=127.0.0.1,127.0.0.1&port=\(ports)&user=postgres#Torture"
        let isKilled = DispatchSemaphore(value: 0)
        let failure = DispatchQueue(label: "failover")
        nonisolated(unsafe) var error: (any Error)?
        failure.asyncAfter(deadline: .now() + 5) {
            do {
                try pair.perform("kill-primary")
                try pair.perform("promote")
            } catch let thrown {
                error = thrown
            }
            isKilled.signal()
        }
        try run(address, seconds: 12)
        isKilled.wait()
        #expect(error == nil)
    }
}
