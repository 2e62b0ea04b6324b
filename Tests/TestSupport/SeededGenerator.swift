import Foundation

/// Random numbers that a seed repeats: SplitMix64.
///
/// A test that uses one puts the seed into what it reports: `#expect(a == b, "\(generator)")`. Running again with
/// `FIRN_SEED` set to the number in the report repeats the run.
///
/// The algorithm: https://prng.di.unimi.it/splitmix64.c
package struct SeededGenerator: RandomNumberGenerator, Sendable, CustomStringConvertible {
    package let seed: UInt64
    private var state: UInt64

    /// A generator with the run's seed: that in `FIRN_SEED`, else a random one, printed once.
    package init() { self.init(seed: Self.runSeed) }

    package init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    package var description: String { "FIRN_SEED=\(seed)" }

    /// How many steps random programs have in all: `FIRN_OPERATIONS`, or as many as usual.
    package static func operations(usually count: Int) -> Int {
        ProcessInfo.processInfo.environment["FIRN_OPERATIONS"].flatMap(Int.init) ?? count
    }

    /// The errors of `count` random programs, of `limit` at most. The first program has this generator itself, so that
    /// `FIRN_SEED` with the seed of a failure begins with it.
    package func failures(
        in count: Int, atMost limit: Int, _ run: (SeededGenerator) throws -> Void
    ) -> [any Error] {
        var (seeds, generator) = (self, self)
        var failures: [any Error] = []
        for _ in 0..<max(1, count) where failures.count < limit {
            do { try run(generator) } catch { failures.append(error) }
            generator = SeededGenerator(seed: seeds.next())
        }
        return failures
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    private static let runSeed: UInt64 = {
        let given = ProcessInfo.processInfo.environment["FIRN_SEED"]
        if let given, UInt64(given) == nil {
            preconditionFailure("FIRN_SEED must be a whole number from 0 to 2^64-1, not '\(given)'")
        }
        let seed = given.flatMap(UInt64.init) ?? UInt64.random(in: 0...UInt64.max)
        print("random tests of this run: FIRN_SEED=\(seed)")
        return seed
    }()
}
