import Foundation

/// How long a page's sentences are. Headings and code do not count; code within a sentence is one word.
package struct ReadingEase: Sendable {
    /// Words of each sentence in paragraphs and lists.
    package let prose: [Int]
    /// Sentences of more than `wordCountMax` words, in tables too.
    package let long: [String]

    package static let wordCountMax = 30
    package static let meanMax = 20.0

    package init(_ page: Page) {
        var prose: [Int] = []
        var long: [String] = []
        for element in page.elements {
            let text: String
            switch element {
            case .prose(let prose): text = prose
            case .cell(let cell): text = cell
            case .heading, .code: continue
            }
            for sentence in Self.sentences(text) {
                let count = sentence.split(separator: " ").count
                if case .prose = element { prose.append(count) }
                if count > Self.wordCountMax { long.append(sentence) }
            }
        }
        self.prose = prose
        self.long = long
    }

    /// Words a sentence; 0 for a page without prose.
    package var mean: Double { prose.isEmpty ? 0 : Double(prose.reduce(0, +)) / Double(prose.count) }

    /// The sentences of a paragraph, without its markup.
    package static func sentences(_ text: String) -> [String] {
        var plain = text.replacing(/`{2}[^`]*`{2}/, with: "X").replacing(/`[^`]*`/, with: "X")
        plain = plain.replacing(/!?\[([^\]]*)\]\([^)]*\)/) { $0.output.1 }
        plain = plain.replacing(/<doc:[^>]*>/, with: "X").replacing("*", with: "")
        var sentences: [String] = []
        var words: [Substring] = []
        let all = plain.split(separator: " ")
        for (index, word) in all.enumerated() {
            // A dash or an arrow alone is no word.
            if word.contains(where: { $0.isLetter || $0.isNumber }) { words.append(word) }
            let ends = word.hasSuffix(".") || word.hasSuffix("?") || word.hasSuffix("!") || word.hasSuffix(".)")
            let next = index + 1 < all.count ? all[index + 1].first { $0 != "(" && $0 != "\"" } : nil
            if ends, next.map({ $0.isUppercase || $0.isNumber }) ?? true {
                sentences.append(words.joined(separator: " "))
                words = []
            }
        }
        if !words.isEmpty { sentences.append(words.joined(separator: " ")) }
        return sentences.filter { !$0.isEmpty }
    }
}
