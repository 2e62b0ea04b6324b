import Foundation
import TestSupport
import Testing

/// Random edits and requests against plain dictionaries. `FIRN_SEED` sets the seed, `FIRN_OPERATIONS` how many steps
/// there are in all.
@Suite("Random programs of requests")
struct RequestProgramTests {
    private static let operations = SeededGenerator.operations(usually: 1200)
    private static let programLength = 40
    private static let failureLimit = 5

    @Test("requests find what matches, in order and within bounds", arguments: RequestProgram.Cast.allCases)
    func programs(cast: RequestProgram.Cast) {
        let count = Self.operations / Self.programLength / RequestProgram.Cast.allCases.count
        let failures = SeededGenerator().failures(in: count, atMost: Self.failureLimit) { generator in
            try RequestProgram(cast, generator).run(Self.programLength)
        }
        for failure in failures { Issue.record(failure) }
    }
}
