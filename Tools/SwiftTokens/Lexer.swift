/// A piece of Swift source that matters to declarations.
package struct Token: Equatable {
    package enum Kind: Equatable {
        /// A name or keyword, without backticks.
        case word
        /// `#if`, `#available` and their like, with the sign.
        case directive
        case literal
        case punctuation
    }

    package var kind: Kind
    package var text: String
    package var line: Int
    /// Whether the token is the first of its line: there a declaration without braces has ended.
    package var startsLine: Bool
    /// The token's bytes in the source, with quotes and backticks.
    package var range: Range<Int>

    /// The text, but for a literal and for a name in backticks, neither of which is a keyword or a brace.
    package var keyword: String { kind != .literal && text.utf8.count == range.count ? text : "" }
}

/// Cuts Swift source into tokens: comments are dropped, literals of strings and of regular expressions are one token
/// each, whatever they hold.
///
/// It reads declarations only, so it knows no operators of several characters but `->` and `...`.
package struct Lexer {
    private let source: [UInt8]
    private let readsInterpolations: Bool
    private var position = 0
    private var line = 1
    private var isLineStart = true
    private var tokens: [Token] = []

    /// - Parameter readsInterpolations: whether the tokens in a literal's interpolations follow the literal.
    package static func tokens(of text: String, readsInterpolations: Bool = false) -> [Token] {
        var lexer = Lexer(source: Array(text.utf8), readsInterpolations: readsInterpolations)
        while lexer.position < lexer.source.count { lexer.read() }
        return lexer.tokens
    }

    private init(source: [UInt8], readsInterpolations: Bool) {
        self.source = source
        self.readsInterpolations = readsInterpolations
    }

    private func peek(_ offset: Int = 0) -> UInt8 {
        position + offset < source.count ? source[position + offset] : 0
    }

    private mutating func advance() {
        if peek() == UInt8(ascii: "\n") {
            line += 1
            isLineStart = true
        }
        position += 1
    }

    private mutating func add(_ kind: Token.Kind, _ text: String, from start: Int) {
        tokens.append(
            Token(kind: kind, text: text, line: line, startsLine: isLineStart, range: start..<position))
        isLineStart = false
    }

    /// Reads one token, one comment, or one byte between them.
    private mutating func read() {
        let start = position
        if Self.names[Int(source[start])] { return word(.word, from: start) }
        switch source[start] {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): advance()
        case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "/"): skipLine()
        case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"): skipBlockComment()
        case UInt8(ascii: "\""): string(hashes: 0, from: start)
        case UInt8(ascii: "#"): hash()
        case UInt8(ascii: "`"): quotedName()
        case UInt8(ascii: "-") where peek(1) == UInt8(ascii: ">"):
            position += 2
            add(.punctuation, "->", from: start)
        case UInt8(ascii: "/") where regexEnd(hashes: 0) != nil: regex(hashes: 0, from: start)
        default:
            position += 1
            add(.punctuation, String(UnicodeScalar(source[start])), from: start)
        }
    }

    /// Whether a byte belongs to a name, by the byte. A table is fast in a build for debugging, as plugins' tools are.
    private static let names: [Bool] = (UInt8.min...UInt8.max).map { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...: true
        default: false
        }
    }

    private mutating func word(_ kind: Token.Kind, from start: Int) {
        while position < source.count, Self.names[Int(source[position])] { position += 1 }
        add(kind, String(decoding: source[start..<position], as: UTF8.self), from: start)
    }

    private mutating func quotedName() {
        let start = position
        position += 1
        while position < source.count, peek() != UInt8(ascii: "`"), peek() != UInt8(ascii: "\n") { position += 1 }
        let name = String(decoding: source[(start + 1)..<position], as: UTF8.self)
        position += 1
        add(.word, name, from: start)
    }

    private mutating func skipLine() {
        while position < source.count, peek() != UInt8(ascii: "\n") { position += 1 }
    }

    private mutating func skipBlockComment() {
        var depth = 0
        repeat {
            if peek() == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
                depth += 1
                position += 2
            } else if peek() == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
                depth -= 1
                position += 2
            } else {
                advance()
            }
        } while depth > 0 && position < source.count
    }

    private mutating func hash() {
        let start = position
        while peek() == UInt8(ascii: "#") { position += 1 }
        let count = position - start
        if peek() == UInt8(ascii: "\"") { return string(hashes: count, from: start) }
        if peek() == UInt8(ascii: "/"), regexEnd(hashes: count) != nil { return regex(hashes: count, from: start) }
        word(.directive, from: start)
    }

    /// A string literal, raw with `hashes` signs, of one line or of several.
    private mutating func string(hashes: Int, from start: Int) {
        let (startLine, startsLine, index) = (line, isLineStart, tokens.count)
        // The quotes in #"""# are those of a literal of one line, and one inside.
        let isLong =
            peek(1) == UInt8(ascii: "\"") && peek(2) == UInt8(ascii: "\"") && (hashes == 0 || isLineEnd(peek(3)))
        let quotes = isLong ? 3 : 1
        position += quotes
        let content = position
        while position < source.count {
            if peek() == UInt8(ascii: "\\"), isEscape(hashes) {
                position += 1 + hashes
                if peek() == UInt8(ascii: "(") { interpolation() } else { advance() }
            } else if peek() == UInt8(ascii: "\""), isEnd(quotes: quotes, hashes: hashes) {
                break
            } else if !isLong, peek() == UInt8(ascii: "\n") {
                break
            } else {
                advance()
            }
        }
        let text = String(decoding: source[content..<min(position, source.count)], as: UTF8.self)
        position = min(position + quotes + hashes, source.count)
        tokens.insert(
            Token(kind: .literal, text: text, line: startLine, startsLine: startsLine, range: start..<position),
            at: index)
        isLineStart = false
    }

    private func isEscape(_ hashes: Int) -> Bool {
        (0..<hashes).allSatisfy { peek(1 + $0) == UInt8(ascii: "#") }
    }

    private func isEnd(quotes: Int, hashes: Int) -> Bool {
        (0..<quotes).allSatisfy { peek($0) == UInt8(ascii: "\"") }
            && (0..<hashes).allSatisfy { peek(quotes + $0) == UInt8(ascii: "#") }
    }

    private mutating func interpolation() {
        let count = tokens.count
        var depth = 0
        repeat {
            if peek() == UInt8(ascii: "(") { depth += 1 }
            if peek() == UInt8(ascii: ")") { depth -= 1 }
            read()
        } while depth > 0 && position < source.count
        if !readsInterpolations { tokens.removeSubrange(count...) }
    }
}

extension Lexer {
    private func isLineEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }

    private func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || isLineEnd(byte)
    }

    /// The place behind the regular expression whose slash is at the current place; nil if the slash is an operator.
    /// https://github.com/swiftlang/swift-evolution/blob/main/proposals/0354-regex-literals.md
    private func regexEnd(hashes: Int) -> Int? {
        if hashes == 0 {
            let before = position > 0 ? source[position - 1] : UInt8(ascii: " ")
            // In 'a /= b' and 'func /(' it is a part of an operator's name.
            let isName = peek(1) == UInt8(ascii: "=") && isSpace(peek(2)) || tokens.last?.text == "func"
            guard isSpace(before) || "([{,;:".utf8.contains(before), !isSpace(peek(1)), !isName else { return nil }
        }
        let isLong = hashes > 0 && isLineEnd(peek(1))
        var (depth, isInClass, place) = (0, false, position + 1)
        while place < source.count, isLong || !isLineEnd(source[place]) {
            switch source[place] {
            case UInt8(ascii: "\\"): place += 1
            case UInt8(ascii: "["): isInClass = true
            case UInt8(ascii: "]"): isInClass = false
            case UInt8(ascii: "(") where !isInClass: depth += 1
            case UInt8(ascii: ")") where !isInClass:
                depth -= 1
                if depth < 0, hashes == 0 { return nil }
            case UInt8(ascii: "/"):
                let end = place + 1 + hashes
                if hashes == 0 { return isSpace(source[place - 1]) ? nil : end }
                if end <= source.count, source[(place + 1)..<end].allSatisfy({ $0 == UInt8(ascii: "#") }) { return end }
            default: break
            }
            place += 1
        }
        return nil
    }

    /// A literal of a regular expression, between slashes and `hashes` signs.
    private mutating func regex(hashes: Int, from start: Int) {
        let (startLine, startsLine, end) = (line, isLineStart, regexEnd(hashes: hashes) ?? position + 1)
        while position < end { advance() }
        tokens.append(
            Token(kind: .literal, text: "", line: startLine, startsLine: startsLine, range: start..<position))
        isLineStart = false
    }
}
