import Foundation

extension StringComparison {
    /// Whether the whole of `text` matches `pattern` (`LIKE`). `*` matches any characters, also none, and `?` exactly
    /// one. A backslash escapes the character after it.
    ///
    /// A character is a Unicode scalar of the string's composed form, so `?` stands for é however it is written. Time
    /// is at most the product of the two lengths.
    ///
    /// https://developer.apple.com/library/archive/documentation/Cocoa/Conceptual/Predicates/Articles/pSyntax.html
    package static func isLike(
        _ text: String, _ pattern: String, options: ComparisonOptions = []
    ) -> Bool {
        let folds = options.contains(.caseInsensitive)
        let answer = PlainText.withBytes(text, pattern, options) { text, pattern -> Bool? in
            // Only among ASCII is a byte the one character that "?" stands for.
            if pattern.contains(UInt8(ascii: "?")), text.contains(where: { $0 >= 0x80 }) {
                return nil
            }
            return wildcardMatch(
                text, pattern, star: UInt8(ascii: "*"), question: UInt8(ascii: "?"),
                escape: UInt8(ascii: "\\")
            ) { x, y in
                x == y || (folds && PlainText.lowercased(x) == PlainText.lowercased(y))
            }
        }
        if let answer, let answer { return answer }
        return wildcardMatch(
            scalars(text, options), scalars(pattern, options),
            star: "*", question: "?", escape: "\\", ==)
    }

    private static func scalars(_ text: String, _ options: ComparisonOptions) -> [Unicode.Scalar] {
        Array(folded(text, options).precomposedStringWithCanonicalMapping.unicodeScalars)
    }

    /// The string without the differences that the options ignore.
    static func folded(_ text: String, _ options: ComparisonOptions) -> String {
        let ignored = options.foundationOptions.intersection([
            .caseInsensitive, .diacriticInsensitive,
        ])
        return ignored.isEmpty ? text : text.folding(options: ignored, locale: options.locale)
    }

    /// Greedy matching that backtracks to the last star only. An earlier star never has to match more, since the last
    /// one can match the same.
    private static func wildcardMatch<Text: RandomAccessCollection>(
        _ text: Text, _ pattern: Text,
        star: Text.Element, question: Text.Element, escape: Text.Element,
        _ same: (Text.Element, Text.Element) -> Bool
    ) -> Bool where Text.Index == Int, Text.Element: Equatable {
        var place = 0
        var next = 0
        var afterStar = -1
        var starPlace = 0
        while place < text.count {
            if next < pattern.count {
                let symbol = pattern[next]
                if symbol == star {
                    next += 1
                    afterStar = next
                    starPlace = place
                    continue
                }
                let isEscaped = symbol == escape && next + 1 < pattern.count
                let literal = isEscaped ? pattern[next + 1] : symbol
                if (!isEscaped && symbol == question) || same(text[place], literal) {
                    place += 1
                    next += isEscaped ? 2 : 1
                    continue
                }
            }
            if afterStar < 0 { return false }
            starPlace += 1
            place = starPlace
            next = afterStar
        }
        while next < pattern.count, pattern[next] == star { next += 1 }
        return next == pattern.count
    }
}
