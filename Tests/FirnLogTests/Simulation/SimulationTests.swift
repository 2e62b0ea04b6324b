import FirnLog
import Foundation
import Testing

/// `FIRN_SIMULATIONS` says how many seeds (200; the long form has 10,000), `FIRN_SEED` the first one.
@Suite("Random programs on a disk that fails")
struct SimulationTests {
    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
    }

    @Test("everything that must hold does, after each step")
    func seeds() throws {
        let first = Self.number("FIRN_SEED") ?? UInt64.random(in: 0...1 << 40)
        for seed in first..<first + (Self.number("FIRN_SIMULATIONS") ?? 200) {
            do {
                var simulation = try Simulation(seed: seed)
                try simulation.run(steps: 30)
            } catch {
                Issue.record("FIRN_SEED=\(seed) FIRN_SIMULATIONS=1: \(error)")
                return
            }
        }
    }

    @Test("a disk that lies about one sync in eight is found out")
    func canary() {
        let found = (1...200 as ClosedRange<UInt64>).contains { seed in
            do {
                var simulation = try Simulation(seed: seed, liesAboutSync: true)
                try simulation.run(steps: 30)
                return false
            } catch {
                return true
            }
        }
        #expect(found)
    }
}
