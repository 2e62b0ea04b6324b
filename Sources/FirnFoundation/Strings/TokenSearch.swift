internal import Foundation

/// The words that `TOKENMATCHES` looks for. A text has them if each part of the search is somewhere in it.
///
///     walden pond      both words, wherever they are
///     wald*            a word that begins with these letters
///     "walden pond"    the words next to each other; so are those of `O'Brien` and of `2026-11-29`
///
/// A word is a run of letters, digits and marks. Each letter of a script without spaces is a word, so that any part of
/// such a text is found. A search without a word is found nowhere.
package struct TokenSearch: Hashable, Sendable {
    package let text: String
    package let options: ComparisonOptions
    private let parts: [Part]

    private struct Part: Hashable, Sendable {
        let words: [String]
        /// Whether the last word may go on.
        let isPrefix: Bool

        var isWord: Bool { words.count == 1 && !isPrefix }

        func isFound(_ found: some RandomAccessCollection<String>) -> Bool {
            found.count == words.count
                && zip(found, words).enumerated().allSatisfy { index, pair in
                    pair.0 == pair.1 || isPrefix && index == words.count - 1 && pair.0.hasPrefix(pair.1)
                }
        }

        /// Where it begins in a text's words.
        func places(in found: [String]) -> [Int] {
            guard found.count >= words.count else { return [] }
            return (0...found.count - words.count).filter { isFound(found[$0..<$0 + words.count]) }
        }
    }

    package init(_ text: String, _ options: ComparisonOptions = [.caseInsensitive, .diacriticInsensitive]) {
        self.text = text
        self.options = options
        let all = text.split(separator: "\"", omittingEmptySubsequences: false).enumerated().flatMap { index, run in
            let isQuoted = !index.isMultiple(of: 2)
            return (isQuoted ? [run] : run.split(whereSeparator: \.isWhitespace)).map { part in
                Part(words: Self.words(String(part), options), isPrefix: !isQuoted && part.last == "*")
            }
        }
        var seen: Set<Part> = []
        parts = all.filter { !$0.words.isEmpty && seen.insert($0).inserted }
    }

    /// Complexity: O(words of the text) for each part of the search that has several words or may go on. All others
    /// together are O(words of both).
    package func isFound(in text: String) -> Bool {
        let found = Self.words(text, options)
        if parts.count <= 4 { return !parts.isEmpty && parts.allSatisfy { !$0.places(in: found).isEmpty } }
        let words = Set(found)
        return parts.allSatisfy { part in
            part.isWord ? words.contains(part.words[0]) : !part.places(in: found).isEmpty
        }
    }

    /// How well a text fits: the share of its words that are looked for, and 1 more if the search is in it as it is.
    package func rank(in text: String) -> Double {
        let found = Self.words(text, options)
        if found.isEmpty || parts.isEmpty { return 0 }
        var isMatch = [Bool](repeating: false, count: found.count)
        for part in parts {
            for place in part.places(in: found) {
                for index in part.words.indices { isMatch[place + index] = true }
            }
        }
        let whole = Part(words: parts.flatMap(\.words), isPrefix: parts.last?.isPrefix ?? false)
        return Double(isMatch.count { $0 }) / Double(found.count) + (whole.places(in: found).isEmpty ? 0 : 1)
    }

    /// The search in the language of FTS5, for a column of `indexed(_:)` texts. It finds every text that has the words,
    /// and perhaps more. Nil where the index cannot serve: it knows nothing of a locale.
    /// https://www.sqlite.org/fts5.html#full_text_query_syntax
    package func indexExpression(column: String) -> String? {
        if options.contains(.localized) { return nil }
        // SQLite refuses expressions that are too deep. The first parts find more texts than all.
        let phrases = parts.prefix(Self.indexedPartsMax).compactMap { part -> String? in
            let words = Self.words(part.words.prefix(Self.indexedPartsMax).joined(separator: " "), Self.indexOptions)
            let isWhole = part.words.count <= Self.indexedPartsMax
            return words.isEmpty
                ? nil : "\"\(words.joined(separator: " "))\"" + (part.isPrefix && isWhole ? " *" : "")
        }
        return phrases.isEmpty ? nil : "\(column) : (\(phrases.joined(separator: " AND ")))"
    }

    /// A text's words as an index of FTS5 has them, which needs no rules but to split at spaces.
    package static func indexed(_ text: String) -> String { words(text, indexOptions).joined(separator: " ") }

    private static let indexedPartsMax = 64
    private static let indexOptions: ComparisonOptions = [.caseInsensitive, .diacriticInsensitive]

    private static func words(_ text: String, _ options: ComparisonOptions) -> [String] {
        var plain = text
        if !options.isDisjoint(with: .folding), let folds = options.wordFolding(of: text) {
            plain = text.folding(options: folds, locale: options.locale)
        }
        var words: [String] = []
        var word = String.UnicodeScalarView()
        var hasLetter = false
        func end() {
            if hasLetter { words.append(String(word)) }
            word = String.UnicodeScalarView()
            hasLetter = false
        }
        for scalar in plain.unicodeScalars {
            switch scalar.wordRole {
            case .letter:
                word.append(scalar)
                hasLetter = true
            case .mark: word.append(scalar)
            case .wholeWord:
                end()
                word.append(scalar)
                hasLetter = true
                end()
            case .none: end()
            }
        }
        end()
        return words
    }
}

extension ComparisonOptions {
    /// Nil for a text that is folded already.
    fileprivate func wordFolding(of text: String) -> String.CompareOptions? {
        let isPlain = text.utf8.allSatisfy { $0 < 0x80 && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        return isPlain ? nil : foundationOptions.subtracting(.literal)
    }
}

extension Unicode.Scalar {
    fileprivate enum WordRole { case letter, mark, wholeWord, none }

    fileprivate var wordRole: WordRole {
        if isASCII {
            let isLetter = (0x30...0x39).contains(value) || (0x41...0x5A).contains(value & ~0x20)
            return isLetter ? .letter : .none
        }
        if properties.isAlphabetic { return isOfScriptWithoutSpaces ? .wholeWord : .letter }
        if properties.numericType != nil { return .letter }
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return .mark
        default: return .none
        }
    }

    /// Thai, Lao, Burmese, Khmer, kana and ideographs.
    package var isOfScriptWithoutSpaces: Bool {
        switch value {
        case ..<0x0E00: false
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3005...0x30FF, 0x31F0...0x31FF, 0x3400...0x4DBF,
            0x4E00...0x9FFF, 0xF900...0xFAFF, 0xFF66...0xFF9F, 0x20000...0x3FFFF:
            properties.isAlphabetic
        default: false
        }
    }
}
