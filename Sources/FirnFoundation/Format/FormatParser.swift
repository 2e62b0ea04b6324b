import Foundation

/// Reads a format string into a predicate or an expression: a recursive descent over the tokens.
///
///     predicate  = and { OR and }
///     and        = not { AND not }
///     not        = NOT not | ANY | ALL | NONE … comparison | TRUEPREDICATE | FALSEPREDICATE | comparison
///     comparison = expression operator [options] expression
///     expression = operands joined by operators, by precedence; see `FormatParser+Expressions`
///
/// A parenthesis may hold a predicate or an expression, and only its content tells which. So each rule returns a
/// `Piece`, and nothing is read twice. Time is linear in the format's length.
struct FormatParser {
    /// The result of reading a rule.
    enum Piece {
        case predicate(NSPredicate)
        case expression(NSExpression)
    }

    /// How deeply parentheses, `NOT` and the like may be nested: what fits a thread with a 512 kB stack.
    static let depthMax = 100

    var lexer: FormatLexer
    var position = 0
    var depth = 0

    init(_ format: String, arguments: [Any]) {
        lexer = FormatLexer(format, FormatArguments(arguments))
    }

    /// Parses with places instead of arguments.
    init(template format: String) {
        lexer = FormatLexer(format, FormatArguments())
    }

    mutating func parsePredicate() throws(PredicateFormatError) -> NSPredicate {
        try lexer.run()
        let start = current
        let piece = try parseOr()
        try expectEnd()
        guard case .predicate(let predicate) = piece else {
            throw failure(
                "expected a comparison such as 'name == \"x\"', found an expression alone", at: start)
        }
        return predicate
    }

    mutating func parseExpression() throws(PredicateFormatError) -> NSExpression {
        try lexer.run()
        let start = current
        let piece = try parseOr()
        try expectEnd()
        guard case .expression(let expression) = piece else {
            throw failure("expected an expression, found a predicate", at: start)
        }
        return expression
    }

    private func expectEnd() throws(PredicateFormatError) {
        guard case .end = current.kind else {
            throw failure("expected an operator or the end, found \(current.name)", at: current)
        }
    }
}

// What all rules use.
extension FormatParser {
    var current: FormatToken { lexer.tokens[position] }

    func ahead(_ distance: Int) -> FormatToken {
        lexer.tokens[min(position + distance, lexer.tokens.count - 1)]
    }

    mutating func advance() { if position < lexer.tokens.count - 1 { position += 1 } }

    func isSymbol(_ symbol: String, ahead distance: Int = 0) -> Bool {
        if case .symbol(symbol) = ahead(distance).kind { return true }
        return false
    }

    /// The identifier at hand in capitals, as reserved words are compared; nil at anything else.
    var word: String? { word(ahead: 0) }

    func word(ahead distance: Int) -> String? {
        guard case .identifier(let name) = ahead(distance).kind else { return nil }
        return name.uppercased()
    }

    mutating func accept(_ symbol: String) -> Bool {
        guard isSymbol(symbol) else { return false }
        advance()
        return true
    }

    mutating func expect(_ symbol: String, _ place: String) throws(PredicateFormatError) {
        guard accept(symbol) else {
            throw failure("expected '\(symbol)' \(place), found \(current.name)", at: current)
        }
    }

    func failure(
        _ message: String, at token: FormatToken, code: PredicateFormatError.Code = .syntax
    ) -> PredicateFormatError {
        PredicateFormatError(
            code: code, format: lexer.format, offset: token.offset, message: message)
    }

    /// Increments the nesting depth. The caller decrements it on leaving.
    mutating func enter() throws(PredicateFormatError) {
        depth += 1
        if depth > Self.depthMax {
            throw failure(
                "nested more than \(Self.depthMax) levels deep; build it from parts instead",
                at: current, code: .tooDeep)
        }
    }

    mutating func predicate(_ place: String) throws(PredicateFormatError) -> NSPredicate {
        let start = current
        guard case .predicate(let predicate) = try parseOr() else {
            throw failure("expected a predicate \(place)", at: start)
        }
        return predicate
    }

    mutating func expression(_ place: String) throws(PredicateFormatError) -> NSExpression {
        let start = current
        guard case .expression(let expression) = try parseOperators(above: 0) else {
            throw failure("expected an expression \(place), found a predicate", at: start)
        }
        return expression
    }
}
