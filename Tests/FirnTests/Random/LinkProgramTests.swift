import Foundation
import TestSupport
import Testing

/// Random programs of relationships of every kind. `FIRN_SEED` sets the seed, `FIRN_OPERATIONS` how many steps there
/// are in all.
@Suite("Random programs of relationships of every kind")
struct LinkProgramTests {
    private static let operations = SeededGenerator.operations(usually: 150)
    private static let programLength = 15
    private static let failureLimit = 10

    @Test(
        "both sides of a relationship say the same, and contexts show what they read from",
        arguments: LinkProgram.Kind.allCases)
    func programs(_ kind: LinkProgram.Kind) {
        let count = Self.operations / LinkProgram.Kind.allCases.count / Self.programLength
        let failures = SeededGenerator().failures(in: count, atMost: Self.failureLimit) { generator in
            try LinkProgram(kind, generator).run(Self.programLength)
        }
        for failure in failures { Issue.record(failure) }
    }
}
