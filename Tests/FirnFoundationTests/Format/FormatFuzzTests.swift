import FirnFoundation
import class FirnFoundation.NSPredicate
import Foundation
import TestSupport
import Testing

@Suite("The format parser under random input")
struct FormatFuzzTests {
    /// How long to try; the environment's `FIRN_FUZZ_SECONDS`, else three seconds.
    static let seconds = ProcessInfo.processInfo.environment["FIRN_FUZZ_SECONDS"].flatMap(Double.init) ?? 3

    static let pieces = [
        "a", "name", "a.b", "SELF", "$x", "@count", ".", ".@sum.b", "==", "=", "!=", "<", "<=", "=>", ">", "<>",
        "[c]", "[cd]", "[n]", "[",
        "]", "(", ")", "{", "}", ",", "AND", "OR", "NOT", "!", "&&", "||", "ANY", "ALL",
        "NONE", "SOME", "IN", "CONTAINS", "BEGINSWITH", "LIKE", "MATCHES", "TOKENMATCHES", "BETWEEN", "nil", "TRUE",
        "NO", "TRUEPREDICATE", "1", "2.5", "0x1F", "1e3", "-", "+", "*", "**", "/", "&", "|", "^", "<<", "~",
        "'text'",
        "\"q\"", "'", "\"", "\\", "#size", "#", "%@", "%K", "%d", "%", "%%", "$", "@", "sum:(", "add:to:(1, 2)",
        "now()", "FUNCTION(a, 'length')", "SUBQUERY(a, $x, $x == 1)", "SUBQUERY(", "TERNARY(", "CAST(a, 'NSDate')",
        "[FIRST]", "[0]",
        "UNION", "MINUS", "é", "名前", "🍁", "\u{301}", "\0", " ", "\n", ":", ":=", "size", "first",
    ]

    @Test("Random words neither crash it nor hang it, and what parses prints and parses back")
    func randomWords() {
        var generator = SeededGenerator()
        let end = ContinuousClock.now + .seconds(Self.seconds)
        while ContinuousClock.now < end {
            for _ in 0..<200 {
                let count = Int.random(in: 1...24, using: &generator)
                let words = (0..<count).compactMap { _ in Self.pieces.randomElement(using: &generator) }
                check(words.joined(separator: Bool.random(using: &generator) ? " " : ""), generator)
            }
            for _ in 0..<50 { check(randomScalars(&generator), generator) }
        }
    }

    private func randomScalars(_ generator: inout SeededGenerator) -> String {
        let count = Int.random(in: 0...40, using: &generator)
        let scalars = (0..<count).compactMap { _ in
            Unicode.Scalar(UInt32.random(in: 0...0x2FF, using: &generator))
        }
        return String(String.UnicodeScalarView(scalars))
    }

    private func check(_ format: String, _ generator: SeededGenerator) {
        let arguments: [Any] = ["key", 1, "b", 2.5, "c", 3]
        guard let predicate = try? NSPredicate(validatingFormat: format, argumentArray: arguments)
        else { return }
        let printed = predicate.predicateFormat
        let again = try? NSPredicate(validatingFormat: printed)
        #expect(again == predicate, "\(generator): \(format.debugDescription) prints \(printed)")
    }
}
