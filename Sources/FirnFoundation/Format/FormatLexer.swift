import Foundation

/// Splits a format string into tokens and reads the arguments of its `%` places, left to right.
///
/// Complexity: linear in the format's length.
struct FormatLexer {
    /// The arguments for `%@` and the number conversions; tokens hold indexes into it.
    private(set) var values: [Any?] = []
    private(set) var tokens: [FormatToken] = []

    let format: String
    private let scalars: [Unicode.Scalar]
    private var arguments: FormatArguments
    private var position = 0

    init(_ format: String, _ arguments: FormatArguments) {
        self.format = format
        scalars = Array(format.unicodeScalars)
        self.arguments = arguments
    }

    /// The places that stand for the arguments of a template.
    var places: [FormatPlace] { arguments.places }

    /// Cuts the whole format; the last token is `.end`.
    mutating func run() throws(PredicateFormatError) {
        while true {
            skipSpace()
            let start = position
            guard let scalar = peek else {
                tokens.append(FormatToken(kind: .end, offset: start))
                return
            }
            let kind = try token(startingWith: scalar)
            tokens.append(FormatToken(kind: kind, offset: start))
        }
    }

    private mutating func token(
        startingWith scalar: Unicode.Scalar
    ) throws(PredicateFormatError) -> FormatToken.Content {
        switch scalar {
        case "\"", "'": return .string(try quoted(by: scalar))
        case "0"..."9": return .number(try number())
        case "." where isDigit(peek(1)) && !followsOperand: return .number(try number())
        case "$": return .variable(try name(after: "$", what: "a variable's name"))
        case "#": return .escapedIdentifier(try name(after: "#", what: "a key"))
        case "@": return .collectionOperator(try name(after: "@", what: "a collection operator"))
        case "%": return try conversion()
        case _ where ReservedWords.beginsIdentifier(scalar): return .identifier(identifier())
        default: return .symbol(try symbol())
        }
    }

    // A point after an operand begins a key, elsewhere a fraction.
    private var followsOperand: Bool {
        switch tokens.last?.kind {
        case nil: false
        case .symbol(let symbol): symbol == ")" || symbol == "]" || symbol == "}"
        default: true
        }
    }

    private var peek: Unicode.Scalar? { peek(0) }

    private func peek(_ distance: Int) -> Unicode.Scalar? {
        position + distance < scalars.count ? scalars[position + distance] : nil
    }

    private func isDigit(_ scalar: Unicode.Scalar?) -> Bool {
        guard let scalar else { return false }
        return ("0"..."9").contains(scalar)
    }

    private mutating func skipSpace() {
        while let scalar = peek, isSpace(scalar) { position += 1 }
    }

    /// Unicode's tables are used only beyond ASCII.
    private func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 128
            ? scalar == " " || (9...13).contains(scalar.value) : scalar.properties.isWhitespace
    }

    private func failure(
        _ message: String, at offset: Int? = nil, code: PredicateFormatError.Code = .syntax
    ) -> PredicateFormatError {
        PredicateFormatError(
            code: code, format: format, offset: offset ?? position, message: message)
    }

    private mutating func identifier() -> String {
        var text = String.UnicodeScalarView()
        while let scalar = peek, ReservedWords.continuesIdentifier(scalar) {
            text.append(scalar)
            position += 1
        }
        return String(text)
    }

    private mutating func name(
        after sign: String, what: String
    ) throws(PredicateFormatError) -> String {
        position += 1
        guard let scalar = peek, ReservedWords.continuesIdentifier(scalar) else {
            throw failure("expected \(what) after '\(sign)'")
        }
        return identifier()
    }

    private mutating func symbol() throws(PredicateFormatError) -> String {
        let first = scalars[position]
        if let second = peek(1), let pair = Self.pair(first, second) {
            position += 2
            return pair
        }
        switch first {
        case "=", "<", ">", "!", "(", ")", "{", "}", "[", "]", ",", ".", "+", "-", "*", "/", "&", "|", "^", "~", ":":
            position += 1
            return String(Character(first))
        default: throw failure("unexpected '\(first)'")
        }
    }

    private static func pair(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> String? {
        switch (first, second) {
        case ("=", "="): "=="
        case ("!", "="): "!="
        case ("<", ">"): "<>"
        case ("<", "="): "<="
        case ("=", "<"): "=<"
        case (">", "="): ">="
        case ("=", ">"): "=>"
        case ("&", "&"): "&&"
        case ("|", "|"): "||"
        case ("*", "*"): "**"
        case ("<", "<"): "<<"
        case (">", ">"): ">>"
        default: nil
        }
    }
}

// Strings.
extension FormatLexer {
    private mutating func quoted(
        by quote: Unicode.Scalar
    ) throws(PredicateFormatError) -> String {
        let start = position
        position += 1
        var text = String.UnicodeScalarView()
        while let scalar = peek {
            position += 1
            if scalar == quote { return String(text) }
            text.append(scalar == "\\" ? try escaped() : scalar)
        }
        throw failure("the string that begins here has no closing \(quote)", at: start)
    }

    /// The scalar of an escape sequence. A scalar without a special meaning is itself, as in C.
    private mutating func escaped() throws(PredicateFormatError) -> Unicode.Scalar {
        guard let scalar = peek else { throw failure("expected a character after '\\'") }
        position += 1
        switch scalar {
        case "n": return "\n"
        case "t": return "\t"
        case "r": return "\r"
        case "0": return "\0"
        case "u": return try hexadecimal(digits: 4)
        case "U": return try hexadecimal(digits: 8)
        default: return scalar
        }
    }

    private mutating func hexadecimal(
        digits count: Int
    ) throws(PredicateFormatError) -> Unicode.Scalar {
        let start = position
        let digits = scalars[position...].prefix(count)
        position += digits.count
        let text = String(String.UnicodeScalarView(digits))
        guard digits.count == count, let value = UInt32(text, radix: 16),
            let scalar = Unicode.Scalar(value)
        else { throw failure("expected \(count) hexadecimal digits of a character", at: start) }
        return scalar
    }
}

// Numbers.
extension FormatLexer {
    private mutating func number() throws(PredicateFormatError) -> NSNumber {
        let start = position
        if peek == "0", let letter = peek(1), let radix = Self.radixes[letter] {
            position += 2
            let digits = identifier()
            guard let value = UInt64(digits, radix: radix) else {
                throw failure("expected a whole number of base \(radix)", at: start)
            }
            return Int(exactly: value).map { NSNumber(value: $0) } ?? NSNumber(value: value)
        }
        skipDigits()
        var isWhole = true
        if peek == ".", isDigit(peek(1)) {
            isWhole = false
            position += 1
            skipDigits()
        }
        if peek == "e" || peek == "E" {
            let signed = peek(1) == "+" || peek(1) == "-"
            if isDigit(peek(signed ? 2 : 1)) {
                isWhole = false
                position += signed ? 2 : 1
                skipDigits()
            }
        }
        if let scalar = peek, ReservedWords.continuesIdentifier(scalar) {
            throw failure("expected an operator after a number, found '\(scalar)'")
        }
        let text = String(String.UnicodeScalarView(scalars[start..<position]))
        if isWhole, let value = Int(text) { return NSNumber(value: value) }
        if isWhole, let value = UInt64(text) { return NSNumber(value: value) }
        guard let value = Double(text) else { throw failure("expected a number", at: start) }
        return NSNumber(value: value)
    }

    private mutating func skipDigits() {
        while isDigit(peek) { position += 1 }
    }

    private static let radixes: [Unicode.Scalar: Int] = [
        "x": 16, "X": 16, "o": 8, "O": 8, "b": 2, "B": 2,
    ]
}

// `%` places.
extension FormatLexer {
    /// Reads `%@`, `%K` or a number's conversion as in `printf`, and its argument.
    ///
    /// Flags, width, precision and length are read and without effect: a number is not formatted.
    /// So are letters of whole numbers after a conversion, as in `%lud`, which Apple's parser accepts.
    private mutating func conversion() throws(PredicateFormatError) -> FormatToken.Content {
        let start = position
        position += 1
        var index: Int?
        let digits = position
        skipDigits()
        if peek == "$", position > digits {
            index = Int(String(String.UnicodeScalarView(scalars[digits..<position])))
            position += 1
        }
        while let scalar = peek, isFormatting(scalar) { position += 1 }
        guard let letter = peek else {
            throw failure("expected a conversion such as %@, %K or %d", at: start)
        }
        position += 1
        let value: Any?
        do {
            value = try arguments.value(for: letter, at: index)
        } catch {
            throw failure(error.message, at: start, code: error.code)
        }
        if letter == "K" { return .keyPath(value as? String ?? "") }
        if letter != "@" {
            let rest = scalars[position...].prefix { ReservedWords.continuesIdentifier($0) }
            if rest.allSatisfy({ "dilu".unicodeScalars.contains($0) }) { position += rest.count }
        }
        values.append(value)
        return .value(values.count - 1)
    }

    /// Whether the scalar is a flag, or part of a width, precision or length.
    private func isFormatting(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "0"..."9", ".", "-", "+", "#", "h", "l", "q", "j", "z", "t", "L": true
        default: false
        }
    }
}
