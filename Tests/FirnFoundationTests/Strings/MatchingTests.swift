import FirnFoundation
import Foundation
import Testing

@Suite struct MatchingTests {
    @Test(
        "the whole string must match",
        arguments: [
            StringCase("abc", "abc", [], true),
            StringCase("abcd", "abc", [], false),
            StringCase("xabc", "abc", [], false),
            StringCase("abc", "a|abc", [], true),
            StringCase("b", "a|b", [], true),
            StringCase("ab\n", "ab", [], false),
            StringCase("ABC", "abc", [], false),
            StringCase("ABC", "abc", .caseInsensitive, true),
            StringCase("Änderung", "[a-z]nderung", .both, true),
            StringCase("日本語", "\\p{Han}+", [], true),
            StringCase("👍👍", "👍{2}", [], true),
            StringCase("2026-11-21", "\\d{4}-\\d\\d-\\d\\d", [], true),
            StringCase("", "", [], true),
        ])
    func whole(example: StringCase) throws {
        #expect(
            try StringComparison.matches(example.left, example.right, options: example.options)
                == example.answer)
    }

    @Test("a pattern is that of its scalars, whatever equal pattern was used before")
    func scalars() throws {
        let (composed, decomposed) = ("\u{C9}x?", "E\u{301}x?")
        for pattern in [composed, decomposed, composed] {
            #expect(try StringComparison.matches("\u{C9}", pattern) == pattern.utf8.elementsEqual(composed.utf8))
        }
    }

    @Test(
        "a pattern that is no regular expression throws and names itself",
        arguments: ["(", "a)", "[z-", "*", "a)|(b"])
    func invalid(pattern: String) {
        let error = #expect(throws: InvalidRegularExpression.self) {
            try StringComparison.matches("a", pattern)
        }
        #expect(error?.description.contains(pattern) == true)
    }
}
