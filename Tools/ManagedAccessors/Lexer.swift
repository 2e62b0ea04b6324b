/// A piece of Swift source that matters to declarations.
struct Token: Equatable {
    enum Kind: Equatable {
        /// A name or keyword, without backticks.
        case word
        /// `#if`, `#available` and their like, with the sign.
        case directive
        case literal
        case punctuation
    }

    var kind: Kind
    var text: String
    var line: Int
    /// Whether the token is the first of its line: there a declaration without braces has ended.
    var startsLine: Bool
}

/// Cuts Swift source into tokens: comments are dropped, string literals are one token each, whatever they hold.
///
/// It reads declarations only, so it knows no operators of several characters but `->` and `...`.
struct Lexer {
    private let source: [UInt8]
    private var position = 0
    private var line = 1
    private var isLineStart = true
    private var tokens: [Token] = []

    static func tokens(of text: String) -> [Token] {
        var lexer = Lexer(source: Array(text.utf8))
        lexer.run()
        return lexer.tokens
    }

    private init(source: [UInt8]) { self.source = source }

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

    private mutating func add(_ kind: Token.Kind, _ text: String, line: Int? = nil) {
        tokens.append(
            Token(kind: kind, text: text, line: line ?? self.line, startsLine: isLineStart))
        isLineStart = false
    }

    private mutating func run() {
        while position < source.count {
            switch peek() {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): advance()
            case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "/"): skipLine()
            case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"): skipBlockComment()
            case UInt8(ascii: "\""): string(hashes: 0)
            case UInt8(ascii: "#"): hash()
            case UInt8(ascii: "`"): quotedName()
            case let byte where Self.isName(byte): word(.word)
            case UInt8(ascii: "-") where peek(1) == UInt8(ascii: ">"):
                add(.punctuation, "->")
                position += 2
            default:
                add(.punctuation, String(UnicodeScalar(peek())))
                advance()
            }
        }
    }

    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...: true
        default: false
        }
    }

    private mutating func word(_ kind: Token.Kind, prefix: String = "") {
        let start = position
        while Self.isName(peek()) { position += 1 }
        add(kind, prefix + String(decoding: source[start..<position], as: UTF8.self))
    }

    private mutating func quotedName() {
        advance()
        word(.word)
        advance()
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
        var hashes = 0
        while peek(hashes) == UInt8(ascii: "#") { hashes += 1 }
        if peek(hashes) == UInt8(ascii: "\"") {
            position += hashes
            return string(hashes: hashes)
        }
        position += hashes
        word(.directive, prefix: "#")
    }

    /// A string literal, raw with `hashes` signs, of one line or of several. An interpolation is skipped with its own
    /// literals.
    private mutating func string(hashes: Int) {
        let startLine = line
        let isLong = peek(1) == UInt8(ascii: "\"") && peek(2) == UInt8(ascii: "\"")
        let quotes = isLong ? 3 : 1
        position += quotes
        let start = position
        while position < source.count {
            if peek() == UInt8(ascii: "\\"), isEscape(hashes) {
                position += 1 + hashes
                if peek() == UInt8(ascii: "(") { skipInterpolation() } else { advance() }
            } else if isEnd(quotes: quotes, hashes: hashes) {
                break
            } else if !isLong, peek() == UInt8(ascii: "\n") {
                break
            } else {
                advance()
            }
        }
        add(.literal, String(decoding: source[start..<position], as: UTF8.self), line: startLine)
        position += quotes + hashes
    }

    private func isEscape(_ hashes: Int) -> Bool {
        (0..<hashes).allSatisfy { peek(1 + $0) == UInt8(ascii: "#") }
    }

    private func isEnd(quotes: Int, hashes: Int) -> Bool {
        (0..<quotes).allSatisfy { peek($0) == UInt8(ascii: "\"") }
            && (0..<hashes).allSatisfy { peek(quotes + $0) == UInt8(ascii: "#") }
    }

    private mutating func skipInterpolation() {
        var depth = 0
        let kept = tokens
        repeat {
            switch peek() {
            case UInt8(ascii: "("):
                depth += 1
                advance()
            case UInt8(ascii: ")"):
                depth -= 1
                advance()
            case UInt8(ascii: "\""): string(hashes: 0)
            default: advance()
            }
        } while depth > 0 && position < source.count
        tokens = kept
    }
}
