import FirnFoundation
import Foundation
import TestSupport
import Testing

private let composed = "caf\u{E9}"
private let decomposed = "cafe\u{301}"

@Suite struct StringComparisonTests {
    @Test(
        "equality",
        arguments: [
            StringCase("abc", "abc", [], true),
            StringCase("abc", "ABC", [], false),
            StringCase("abc", "ABC", .caseInsensitive, true),
            StringCase("abc", "abd", .caseInsensitive, false),
            StringCase("@[`{", "`{@[", .caseInsensitive, false),
            StringCase("", "", .caseInsensitive, true),
            StringCase("abc", "ab", .caseInsensitive, false),
            StringCase("ÉCOLE", "école", .caseInsensitive, true),
            StringCase("École", "ecole", .caseInsensitive, false),
            StringCase("École", "ecole", .both, true),
            StringCase("Ecole", "École", .diacriticInsensitive, true),
            StringCase("ecole", "École", .diacriticInsensitive, false),
            StringCase(composed, decomposed, [], false),
            StringCase(composed, decomposed, .caseInsensitive, true),
            StringCase(composed, decomposed, .diacriticInsensitive, true),
            StringCase("Straße", "STRASSE", .caseInsensitive, true),
            StringCase("ΣΟΦΟΣ", "σοφος", .caseInsensitive, true),
            StringCase("\u{130}", "i", .caseInsensitive, false),
            StringCase("\u{130}", "i", .both, true),
            StringCase("I", "i", .caseInsensitive, true),
            StringCase("\u{131}", "I", .caseInsensitive, false),
            StringCase("Ａ", "A", .caseInsensitive, false),
            StringCase("北京", "北京", .both, true),
            StringCase("北京", "北亰", .both, false),
            StringCase("👩‍👩‍👧", "👩‍👩‍👧", .caseInsensitive, true),
            StringCase("👍", "👍🏽", .caseInsensitive, false),
            StringCase("🇩🇪", "🇫🇷", .caseInsensitive, false),
        ])
    func equal(example: StringCase) {
        let (left, right, options) = (example.left, example.right, example.options)
        #expect(StringComparison.equal(left, right, options: options) == example.answer)
        #expect(StringComparison.equal(right, left, options: options) == example.answer)
    }

    @Test(
        "finding a part",
        arguments: [
            StringCase("hello world", "o w", [], true),
            StringCase("hello world", "O W", [], false),
            StringCase("hello world", "O W", .caseInsensitive, true),
            StringCase("aaab", "aab", [], true),
            StringCase("aaab", "AAB", .caseInsensitive, true),
            StringCase("ab", "abc", [], false),
            StringCase("", "", [], true),
            StringCase("a", "", .caseInsensitive, true),
            StringCase("日本", "", [], true),
            StringCase("Das ist ÜBER", "über", .caseInsensitive, true),
            StringCase("Das ist ÜBER", "uber", .both, true),
            StringCase("my \(decomposed)!", composed, [], true),
            StringCase(decomposed, "cafe", [], false),
            StringCase(decomposed, "cafe", .diacriticInsensitive, true),
            StringCase("中国北京市", "北京", [], true),
            StringCase("中国北京市", "南京", .caseInsensitive, false),
            StringCase("a👍b", "👍", [], true),
        ])
    func contains(example: StringCase) {
        #expect(
            StringComparison.contains(example.left, example.right, options: example.options)
                == example.answer)
    }

    @Test(
        "beginnings and ends",
        arguments: [
            StringCase("Hello", "He", [], true),
            StringCase("Hello", "he", [], false),
            StringCase("Hello", "hE", .caseInsensitive, true),
            StringCase("Élan", "e", .both, true),
            StringCase("Élan", "e", .caseInsensitive, false),
            StringCase("日本語", "日本", [], true),
            StringCase("", "a", [], false),
            StringCase("é", "", [], true),
        ])
    func prefixAndSuffix(example: StringCase) {
        let (text, part, options) = (example.left, example.right, example.options)
        #expect(StringComparison.hasPrefix(text, part, options: options) == example.answer)
        let (end, last) = (String(text.reversed()), String(part.reversed()))
        #expect(StringComparison.hasSuffix(end, last, options: options) == example.answer)
    }

    @Test("capitals come before small letters, unless case is ignored or the order is a locale's")
    func order() {
        #expect(StringComparison.compare("B", "a") == .orderedAscending)
        #expect(StringComparison.compare("B", "a", options: .caseInsensitive) == .orderedDescending)
        #expect(StringComparison.compare("B", "a", options: .localized) == .orderedDescending)
        #expect(StringComparison.compare("ab", "abc") == .orderedAscending)
        #expect(StringComparison.compare("abc", "abc") == .orderedSame)
        #expect(StringComparison.compare("z", "é") == .orderedAscending)
        #expect(StringComparison.compare("z", "é", options: .localized) == .orderedDescending)
        #expect(StringComparison.compare(composed, decomposed) == .orderedDescending)
    }

    @Test("the ways through bytes and through Foundation agree on every pair of short strings")
    func agreement() {
        let letters = ["", "a", "A", "b", "@", "`", "z", "Z", "[", "{"]
        let texts = letters.flatMap { first in letters.map { first + $0 } }
        var differing: [String] = []
        for left in texts {
            for right in texts {
                let exact = left.compare(right)
                let folded = left.compare(right, options: .caseInsensitive)
                if StringComparison.compare(left, right) != exact
                    || StringComparison.compare(left, right, options: .caseInsensitive) != folded
                {
                    differing.append("\(left) \(right)")
                }
            }
        }
        #expect(differing == [])
    }

    @Test("strings of every script compare as Foundation compares them")
    func scripts() {
        var generator = SeededGenerator()
        let letters = Array(
            "aAbZ éÉñßçÅ 北京東京 かがガガ 한글각 жЙйЖ αΣσςά \u{301}\u{3099} 👍🏽 İıI ﬁ Å"
                .unicodeScalars.map(String.init))
        func random(_ countMax: Int) -> String {
            (0..<Int.random(in: 0...countMax, using: &generator))
                .compactMap { _ in letters.randomElement(using: &generator) }.joined()
        }
        var differing: [String] = []
        for _ in 0..<4000 {
            let text = random(5)
            let part = random(2)
            for options in [[], .caseInsensitive, .diacriticInsensitive, .both]
                as [ComparisonOptions]
            {
                var foundation: String.CompareOptions = []
                if options.contains(.caseInsensitive) { foundation.insert(.caseInsensitive) }
                if options.contains(.diacriticInsensitive) {
                    foundation.insert(.diacriticInsensitive)
                }
                let isFound = part.isEmpty || text.range(of: part, options: foundation) != nil
                if StringComparison.contains(text, part, options: options) != isFound {
                    differing.append("\(text) contains \(part) \(options.rawValue)")
                }
                if options == [] { continue }
                let order = text.compare(part, options: foundation)
                if StringComparison.equal(text, part, options: options) != (order == .orderedSame) {
                    differing.append("\(text) equals \(part) \(options.rawValue)")
                }
            }
        }
        #expect(differing == [], "\(generator)")
    }
}
