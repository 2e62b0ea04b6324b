import Foundation
import Testing

/// `FIRN_SEED` sets the first seed, `FIRN_OPERATIONS` how many steps there are in all.
@Suite("Random programs in contexts of models")
struct ContextProgramTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seed = environment["FIRN_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 0...UInt64.max)
    private static let operations = environment["FIRN_OPERATIONS"].flatMap(Int.init) ?? 1500
    private static let programLength = 50

    @Test("contexts show, and the store has, what plain values say, after every step")
    func programs() throws {
        print("random programs of models: FIRN_SEED=\(Self.seed)")
        var seeds = SeededNumbers(seed: Self.seed)
        var seed = Self.seed
        for _ in 0..<max(1, Self.operations / Self.programLength) {
            let folder = TestFolder()
            do {
                try ContextProgram(seed: seed, in: folder.file("Library.store")).run(Self.programLength)
            } catch { Issue.record(error) }
            seed = seeds.next()
        }
    }
}
