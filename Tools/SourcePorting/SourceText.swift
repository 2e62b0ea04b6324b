import SwiftTokens

/// A source file's bytes, and the tokens of them that may be compiled on Linux.
struct SourceText {
    let path: String
    let bytes: [UInt8]
    let tokens: [Token]
    /// The `#if` of chains that have no branch for Linux, where the code around them needs one.
    let chainsForOthers: [Token]

    init(path: String, text: String) {
        self.path = path
        bytes = Array(text.utf8)
        let all = Lexer.tokens(of: text, readsInterpolations: true)
        tokens = Conditions.activeTokens(all, lacking: Modules.lacking)
        chainsForOthers = Conditions.chainsForOthers(all, lacking: Modules.lacking)
    }

    func text(at index: Int) -> String { tokens.indices.contains(index) ? tokens[index].text : "" }

    func isWord(at index: Int) -> Bool { tokens.indices.contains(index) && tokens[index].kind == .word }

    func isWord(_ text: String, at index: Int) -> Bool { isWord(at: index) && tokens[index].text == text }

    /// Whether a punctuation mark stands at an index; a literal with the same text is none.
    func isSign(_ text: String, at index: Int) -> Bool {
        tokens.indices.contains(index) && tokens[index].kind == .punctuation && tokens[index].text == text
    }

    func text(of range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    func range(of tokens: ClosedRange<Int>) -> Range<Int> {
        self.tokens[tokens.lowerBound].range.lowerBound..<self.tokens[tokens.upperBound].range.upperBound
    }

    func lineCount(in range: Range<Int>) -> Int { bytes[range].reduce(0) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) } }

    /// The place where the line of a place begins.
    func lineStart(_ place: Int) -> Int { bytes[..<place].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0 }

    /// The place after the line of a place.
    func lineEnd(_ place: Int) -> Int {
        bytes[place...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? bytes.count
    }

    /// The whole lines that a range is on.
    func lines(around range: Range<Int>) -> Range<Int> { lineStart(range.lowerBound)..<lineEnd(range.upperBound) }

    private static let pairs = ["(": ")", "[": "]", "{": "}", "<": ">"]

    /// The index of the bracket that closes the one at `index`; the last token's where none does.
    func close(of index: Int) -> Int {
        let opening = text(at: index)
        guard let closing = Self.pairs[opening] else { return index }
        var depth = 0
        for place in index..<tokens.count where tokens[place].kind == .punctuation {
            if tokens[place].text == opening { depth += 1 }
            if tokens[place].text == closing { depth -= 1 }
            if depth == 0 { return place }
        }
        return tokens.count - 1
    }

    /// The index of the bracket that the one at `index` closes.
    func open(of index: Int) -> Int? {
        let closing = text(at: index)
        guard let opening = Self.pairs.first(where: { $0.value == closing })?.key else { return nil }
        var depth = 0
        for place in stride(from: index, through: 0, by: -1) where tokens[place].kind == .punctuation {
            if tokens[place].text == closing { depth += 1 }
            if tokens[place].text == opening { depth -= 1 }
            if depth == 0 { return place }
        }
        return nil
    }

    private static let modifiers: Set<String> = [
        "private", "fileprivate", "internal", "package", "public", "open", "final", "override", "class", "static",
        "dynamic", "lazy", "weak", "unowned", "mutating", "nonmutating", "convenience", "required", "optional",
        "indirect", "nonisolated", "prefix", "postfix", "infix",
    ]

    static func isModifier(_ word: String) -> Bool { modifiers.contains(word) }

    /// Whether a word such as `dynamic` or `override` is a modifier: it is a name unless a declaration follows.
    func isModifier(at index: Int) -> Bool {
        let next = text(at: index + 1)
        let isFollowed =
            ["var", "func", "let", "class", "subscript", "init", "typealias", "@"].contains(next)
            || isWord(at: index + 1) && Self.modifiers.contains(next)
        return isFollowed && ![".", "(", ","].contains { isSign($0, at: index - 1) }
    }

    /// The first token of the declaration whose keyword is at `index`: its attributes and modifiers are before it.
    func declarationStart(_ index: Int) -> Int {
        var start = index
        while start > 0 {
            let previous = start - 1
            if isSign(")", at: previous), let open = open(of: previous), open > 0, isWord(at: open - 1) {
                if isSign("@", at: open - 2) {
                    start = open - 2
                } else if Self.modifiers.contains(text(at: open - 1)) {
                    start = open - 1
                } else {
                    return start
                }
            } else if isWord(at: previous), isSign("@", at: previous - 1) {
                start = previous - 1
            } else if isWord(at: previous), Self.modifiers.contains(text(at: previous)) {
                start = previous
            } else {
                return start
            }
        }
        return start
    }
}
