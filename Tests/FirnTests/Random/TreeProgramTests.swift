import Foundation
import TestSupport
import Testing

/// Random programs in trees of contexts against plain dictionaries. `FIRN_SEED` sets the seed, `FIRN_OPERATIONS` how
/// many steps there are in all.
@Suite("Random programs in trees of contexts")
struct TreeProgramTests {
    private static let operations = SeededGenerator.operations(usually: 1200)
    private static let programLength = 80
    private static let failureLimit = 10

    @Test("each context shows its parent's objects under its own changes, and finds them by every ID they ever had")
    func programs() {
        let count = Self.operations / Self.programLength
        let failures = SeededGenerator().failures(in: count, atMost: Self.failureLimit) { generator in
            try TreeProgram(generator).run(Self.programLength)
        }
        for failure in failures { Issue.record(failure) }
    }
}
