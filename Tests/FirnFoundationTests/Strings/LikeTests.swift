import FirnFoundation
import Foundation
import TestSupport
import Testing

@Suite struct LikeTests {
    @Test(
        "patterns",
        arguments: [
            StringCase("hello", "hello", [], true),
            StringCase("hello", "h*o", [], true),
            StringCase("ho", "h*o", [], true),
            StringCase("hell", "h*o", [], false),
            StringCase("hello", "h?llo", [], true),
            StringCase("hllo", "h?llo", [], false),
            StringCase("HELLO", "h*O", .caseInsensitive, true),
            StringCase("", "*", [], true),
            StringCase("", "", [], true),
            StringCase("", "?", [], false),
            StringCase("abcabd", "*abd", [], true),
            StringCase("mississippi", "m*iss*ip*i", [], true),
            StringCase("mississippi", "m*iss*ip*x", [], false),
            StringCase("a*b", "a\\*b", [], true),
            StringCase("axb", "a\\*b", [], false),
            StringCase("a?", "a\\?", [], true),
            StringCase("a\\", "a\\", [], true),
            StringCase("a.c", "a.c", [], true),
            StringCase("abc", "a.c", [], false),
            StringCase("a\nb", "a*b", [], true),
            StringCase("CAFÉ au lait", "café*", .caseInsensitive, true),
            StringCase("CAFÉ au lait", "cafe*", .both, true),
            StringCase("àa", "aà", .both, true),
            StringCase("cafe\u{301}", "caf?", [], true),
            StringCase("北京市", "北?市", [], true),
            StringCase("👍!", "?!", [], true),
        ])
    func patterns(example: StringCase) {
        #expect(
            StringComparison.isLike(example.left, example.right, options: example.options)
                == example.answer)
    }

    @Test("random patterns match as their regular expressions do")
    func againstRegularExpressions() throws {
        var generator = SeededGenerator()
        func random(_ letters: String, _ countMax: Int) -> String {
            let count = Int.random(in: 0...countMax, using: &generator)
            return String((0..<count).compactMap { _ in letters.randomElement(using: &generator) })
        }
        for _ in 0..<500 {
            let text = random("ab", 6)
            let pattern = random("ab*?", 5)
            let expression = pattern.replacingOccurrences(of: "*", with: ".*")
                .replacingOccurrences(of: "?", with: ".")
            let expected = try StringComparison.matches(text, expression)
            #expect(
                StringComparison.isLike(text, pattern) == expected,
                "\(text) LIKE \(pattern), \(generator)")
        }
    }
}
