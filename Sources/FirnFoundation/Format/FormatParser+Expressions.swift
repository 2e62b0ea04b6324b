import Foundation

// Operators, from the loosest:
//
//     UNION INTERSECT MINUS  <  |  <  ^  <  &  <  << >>  <  + -  <  * /  <  **  <  - ~ (before an operand)  <  . [ ]
//
// All associate to the left but `**`.
extension FormatParser {
    /// How many operators an expression's tree may be high, which evaluation recurses along.
    static let heightMax = 250

    private static let infixFunctions: [String: PredicateFunction] = {
        let pairs = PredicateFunction.allCases.compactMap { function in
            function.infix.map { ($0.symbol, function) }
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }()

    mutating func parseOperators(above precedenceMin: Int) throws(PredicateFormatError) -> Piece {
        var left = try parseUnary()
        while true {
            let sign = current
            if precedenceMin < 1, let word, let operation = SetOperation(rawValue: word) {
                let (first, second) = try parseOperands(after: left, precedence: 1)
                left = try made(.set(operation, first, second), at: sign)
            } else if case .symbol(let symbol) = sign.kind,
                let function = Self.infixFunctions[symbol], let infix = function.infix,
                infix.precedence > precedenceMin
            {
                let isRightToLeft = function == .raise
                let (first, second) = try parseOperands(
                    after: left, precedence: infix.precedence - (isRightToLeft ? 1 : 0))
                left = try made(.function(function, [first, second]), at: sign)
            } else {
                return left
            }
        }
    }

    /// Consumes the current operator and parses its right operand.
    private mutating func parseOperands(
        after left: Piece, precedence: Int
    ) throws(PredicateFormatError) -> (NSExpression, NSExpression) {
        let sign = current
        guard case .expression(let first) = left else {
            throw failure("expected an expression before \(sign.name), found a predicate", at: sign)
        }
        advance()
        try enter()
        defer { depth -= 1 }
        let place = current
        guard case .expression(let second) = try parseOperators(above: precedence) else {
            throw failure("expected an expression after \(sign.name), found a predicate", at: place)
        }
        return (first, second)
    }

    private func made(
        _ node: NSExpression.Node, at token: FormatToken
    ) throws(PredicateFormatError) -> Piece {
        let expression = NSExpression(node: node)
        guard expression.height <= Self.heightMax else {
            throw failure(
                "the expression chains more than \(Self.heightMax) operators; build it from parts",
                at: token, code: .tooDeep)
        }
        return .expression(expression)
    }

    private mutating func parseUnary() throws(PredicateFormatError) -> Piece {
        let sign = current
        if isSymbol("-"), case .number(let number) = ahead(1).kind {
            advance()
            advance()
            return try parsePostfix(.expression(NSExpression(forConstantValue: negated(number))))
        }
        guard isSymbol("-") || isSymbol("~") else {
            return try parsePostfix(try parsePrimary())
        }
        advance()
        try enter()
        defer { depth -= 1 }
        guard case .expression(let operand) = try parseUnary() else {
            throw failure("expected an expression after \(sign.name), found a predicate", at: sign)
        }
        let isMinus = sign.kind == .symbol("-")
        return try made(.function(isMinus ? .negate : .onesComplement, [operand]), at: sign)
    }

    private func negated(_ number: NSNumber) -> NSNumber {
        if number.isFloatingPoint { return NSNumber(value: -number.doubleValue) }
        if number.uint64Value == Int.min.magnitude { return NSNumber(value: Int.min) }
        guard let value = Int(exactly: number) else { return NSNumber(value: -number.doubleValue) }
        return NSNumber(value: -value)
    }
}

// Key paths and indexes after an operand.
extension FormatParser {
    private mutating func parsePostfix(_ piece: Piece) throws(PredicateFormatError) -> Piece {
        var piece = piece
        while isSymbol(".") || isSymbol("[") {
            let sign = current
            guard case .expression(let operand) = piece else {
                throw failure("expected AND, OR or the end after a predicate", at: sign)
            }
            advance()
            if sign.kind == .symbol(".") {
                piece = try made(try component(of: operand), at: sign)
            } else {
                piece = try made(.function(.index, [operand, try index()]), at: sign)
            }
        }
        return piece
    }

    private mutating func component(
        of operand: NSExpression
    ) throws(PredicateFormatError) -> NSExpression.Node {
        let token = current
        if case .variable(let name) = token.kind {
            advance()
            return .computedKeyPath(NSExpression(forVariable: name), operand: operand)
        }
        guard let key = plainKey(token) else {
            throw failure("expected a key after '.', found \(token.name)", at: token)
        }
        advance()
        // All keys that follow are joined at once: joining one by one would split a long path again for each key.
        var keys = [key]
        while isSymbol("."), let next = plainKey(ahead(1)) {
            advance()
            advance()
            keys.append(next)
        }
        return operand.appending(key: keys.joined(separator: "."))
    }

    private func plainKey(_ token: FormatToken) -> String? {
        switch token.kind {
        case .identifier(let name), .escapedIdentifier(let name), .keyPath(let name): name
        case .collectionOperator(let name): "@" + name
        default: nil
        }
    }

    private mutating func index() throws(PredicateFormatError) -> NSExpression {
        if let word, let symbol = IndexSymbol(rawValue: word), isSymbol("]", ahead: 1) {
            advance()
            advance()
            return NSExpression(forConstantValue: symbol)
        }
        try enter()
        defer { depth -= 1 }
        let index = try expression("in brackets")
        try expect("]", "after an index")
        return index
    }
}

extension NSExpression {
    /// The node of the key path from this expression's value.
    ///
    /// `SELF.a` is the key path `a`, and a key path grows, so that a walker meets one node for `a.b.@count`.
    package func appending(key: String) -> Node {
        switch node {
        case .evaluatedObject: .keyPath(KeyPathComponents(key), operand: nil)
        case .keyPath(let path, let operand):
            .keyPath(KeyPathComponents(path.string + "." + key), operand: operand)
        default: .keyPath(KeyPathComponents(key), operand: self)
        }
    }
}

extension NSNumber {
    /// Whether the number holds a fraction's type: `float` or `double`.
    package var isFloatingPoint: Bool {
        switch UInt8(bitPattern: objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"): true
        default: false
        }
    }
}
