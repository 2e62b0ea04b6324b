import SwiftTokens

/// Finds the lines of whole statements and declarations.
struct Statements {
    let source: SourceText

    init(_ source: SourceText) { self.source = source }

    private static let leading: Set<String> = [
        ".", ",", ")", "]", "}", "?", ":", "&", "|", "=", "+", "*", "/", "<", ">", "->", "{", "else", "where", "catch",
        "as", "is", "in", "throws", "async",
    ]
    private static let trailing: Set<String> = [
        "=", "(", "[", ",", "+", "-", "*", "/", "&", "|", "<", "->", ".", "guard",
        "if", "while", "for", "return", "throw", "try", "await", "let", "var", "switch",
    ]

    /// The bytes of the whole lines of the smallest statement around a token that stands on lines of its own. Nil if
    /// there is none.
    func lines(around token: Int) -> Range<Int>? {
        var place = token
        while true {
            let block = block(around: place)
            if let start = start(of: place, in: block), let end = end(from: place, in: block, start) {
                return source.lines(around: source.range(of: start...end))
            }
            guard let block else { return nil }
            place = block
        }
    }

    /// The brace of the block that a token is in.
    private func block(around token: Int) -> Int? {
        var depth = 0
        for place in stride(from: token - 1, through: 0, by: -1) where source.tokens[place].kind == .punctuation {
            switch source.text(at: place) {
            case ")", "]", "}": depth += 1
            case "(", "[": depth = max(0, depth - 1)
            case "{":
                if depth == 0 { return place }
                depth -= 1
            default: break
            }
        }
        return nil
    }

    private func start(of token: Int, in block: Int?) -> Int? {
        var depth = 0
        for place in stride(from: token, to: block ?? -1, by: -1) {
            let text = source.tokens[place].kind == .punctuation ? source.text(at: place) : ""
            if [")", "]", "}"].contains(text), place != token { depth += 1 }
            if depth == 0, beginsStatement(place, after: block) { return place }
            if ["(", "[", "{"].contains(text) { depth = max(0, depth - 1) }
        }
        return nil
    }

    /// Whether a token begins a line and a statement.
    private func beginsStatement(_ place: Int, after block: Int?) -> Bool {
        guard source.tokens[place].startsLine, !Self.leading.contains(mark(place)) else { return false }
        if place == 0 || place - 1 == block { return true }
        let previous = source.text(at: place - 1)
        let isCoalescing = mark(place - 1) == "?" && mark(place - 2) == "?"
        if isCoalescing || Self.trailing.contains(mark(place - 1)) || SourceText.isModifier(previous) { return false }
        return source.declarationStart(place) == place
    }

    private func mark(_ place: Int) -> String {
        guard source.tokens.indices.contains(place) else { return "" }
        return source.tokens[place].kind == .literal ? "" : source.text(at: place)
    }

    /// The last token of the statement, whose line has no other.
    private func end(from token: Int, in block: Int?, _ start: Int) -> Int? {
        let isCase = ["case", "default"].contains(source.text(at: start))
        var place = token
        while place + 1 < source.tokens.count {
            let opens = ["{", "(", "["].contains(mark(place))
            if opens { place = source.close(of: place) }
            let next = place + 1
            guard next < source.tokens.count else { break }
            if mark(next) == "}" { return source.tokens[next].startsLine ? place : nil }
            let isBoundary = beginsStatement(next, after: block)
            if isBoundary, !isCase || ["case", "default"].contains(source.text(at: next)) { return place }
            place = next
        }
        return source.tokens.count - 1
    }
}
