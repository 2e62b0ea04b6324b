import Foundation

extension FormatParser {
    mutating func parsePrimary() throws(PredicateFormatError) -> Piece {
        let token = current
        switch token.kind {
        case .string(let text): return constant(text)
        case .number(let number): return constant(number)
        case .value(let index): return parseValue(lexer.values[index])
        case .keyPath(let path):
            advance()
            return .expression(NSExpression(forKeyPath: path))
        case .variable(let name):
            advance()
            return .expression(NSExpression(forVariable: name))
        case .escapedIdentifier(let name):
            advance()
            return .expression(NSExpression(forKeyPath: name))
        case .collectionOperator(let name):
            advance()
            return .expression(NSExpression(forKeyPath: "@" + name))
        case .identifier(let name): return try parseIdentifier(name)
        case .symbol("("): return try parseParenthesis()
        case .symbol("{"):
            advance()
            let members = try parseList(until: "}")
            return .expression(NSExpression(forAggregate: members))
        case .symbol, .end: throw failure("expected an expression, found \(token.name)", at: token)
        }
    }

    private mutating func constant(_ value: Any?) -> Piece {
        advance()
        return .expression(NSExpression(forConstantValue: value))
    }

    /// An argument of `%@`: expressions and predicates are used as they are, all else is a constant.
    private mutating func parseValue(_ value: Any?) -> Piece {
        advance()
        // Most values are plain, and a failing cast costs as much as the rest of the parsing.
        if let value, Self.isPlain(type(of: value)) { return .expression(NSExpression(forConstantValue: value)) }
        switch value {
        case let expression as NSExpression: return .expression(expression)
        case let predicate as NSPredicate: return .predicate(predicate)
        default: return .expression(NSExpression(forConstantValue: value))
        }
    }

    /// Whether a value of the type is certainly neither an expression nor a predicate. Compares types, which is faster
    /// than a cast.
    static func isPlain(_ type: Any.Type) -> Bool {
        type == NSNumber.self || type == String.self || type == Int.self || type == Double.self || type == Date.self
    }

    private mutating func parseParenthesis() throws(PredicateFormatError) -> Piece {
        advance()
        let piece = try parseOr()
        if isSymbol(","), case .expression(let first) = piece {
            advance()
            let members = [first] + (try parseList(until: ")"))
            return .expression(NSExpression(forAggregate: members))
        }
        try expect(")", "to close the parenthesis")
        return piece
    }

    /// Expressions with commas between, up to the bracket that closes them.
    private mutating func parseList(
        until bracket: String
    ) throws(PredicateFormatError) -> [NSExpression] {
        try enter()
        defer { depth -= 1 }
        var members: [NSExpression] = []
        if accept(bracket) { return members }
        repeat {
            members.append(try expression("in a list"))
        } while accept(",")
        try expect(bracket, "or ',' in a list")
        return members
    }

    private mutating func parseIdentifier(_ name: String) throws(PredicateFormatError) -> Piece {
        let token = current
        let word = name.uppercased()
        if isSymbol("(", ahead: 1), let piece = try parseForm(word) { return piece }
        if isSymbol("(", ahead: 1) || isSymbol(":", ahead: 1) { return try parseFunction() }
        switch word {
        case "NULL", "NIL": return constant(nil)
        case "TRUE", "YES": return constant(NSNumber(value: true))
        case "FALSE", "NO": return constant(NSNumber(value: false))
        case "SELF":
            advance()
            return .expression(.expressionForEvaluatedObject())
        case "ANYKEY":
            advance()
            return .expression(.expressionForAnyKey())
        case "TRUEPREDICATE", "FALSEPREDICATE":
            advance()
            return .predicate(NSPredicate(value: word == "TRUEPREDICATE"))
        case _ where ReservedWords.operators.contains(word):
            throw failure(
                "expected an expression, found the operator \(token.name); a key of that name is #\(name)",
                at: token)
        default:
            advance()
            return .expression(NSExpression(forKeyPath: name))
        }
    }

    /// `SUBQUERY(…)`, `CAST(…)`, `TERNARY(…)`, `FUNCTION(…)`, `FETCH(…)`; nil at any other word.
    private mutating func parseForm(_ word: String) throws(PredicateFormatError) -> Piece? {
        let token = current
        guard ["SUBQUERY", "CAST", "TERNARY", "FUNCTION", "FETCH"].contains(word) else { return nil }
        advance()
        advance()
        try enter()
        defer { depth -= 1 }
        let node: NSExpression.Node
        switch word {
        case "SUBQUERY": node = try parseSubquery()
        case "TERNARY":
            let predicate = try predicate("in TERNARY(predicate, a, b)")
            try expect(",", "after TERNARY's predicate")
            let first = try expression("in TERNARY(predicate, a, b)")
            try expect(",", "after TERNARY's first expression")
            node = .conditional(predicate, first, try expression("in TERNARY(predicate, a, b)"))
            try expect(")", "to close TERNARY")
        case "CAST":
            let value = try expression("in CAST(x, \"class\")")
            try expect(",", "after CAST's expression")
            let type = try expression("in CAST(x, \"class\")")
            try expect(")", "to close CAST")
            node = NSExpression.castNode(value, type)
        case "FETCH": node = try parseFetch()
        default: node = try parseMethod(at: token)
        }
        return .expression(NSExpression.of(node))
    }

    private mutating func parseSubquery() throws(PredicateFormatError) -> NSExpression.Node {
        let collection = try expression("in SUBQUERY(collection, $x, predicate)")
        try expect(",", "after SUBQUERY's collection")
        guard case .variable(let name) = current.kind else {
            throw failure("expected a variable such as $x, found \(current.name)", at: current)
        }
        advance()
        try expect(",", "after SUBQUERY's variable")
        let predicate = try predicate("in SUBQUERY(collection, $x, predicate)")
        try expect(")", "to close SUBQUERY")
        return .subquery(collection, variable: name, predicate: predicate)
    }

    private mutating func parseFetch() throws(PredicateFormatError) -> NSExpression.Node {
        let request = try expression("in FETCH(request, context, countOnly)")
        try expect(",", "after FETCH's request")
        let context = try expression("in FETCH(request, context, countOnly)")
        try expect(",", "after FETCH's context")
        let token = current
        let flag = try expression("in FETCH(request, context, countOnly)")
        guard case .constant(let value) = flag.node, let countsOnly = (value as? NSNumber)?.boolValue else {
            throw failure("expected YES or NO for FETCH's countOnly, found \(token.name)", at: token)
        }
        try expect(")", "to close FETCH")
        return .fetch(request: request, context: context, countsOnly: countsOnly)
    }

    private mutating func parseMethod(
        at token: FormatToken
    ) throws(PredicateFormatError) -> NSExpression.Node {
        let members = try parseList(until: ")")
        guard members.count >= 2, case .constant(let name as String) = members[1].node else {
            throw failure("expected FUNCTION(operand, \"name\", arguments…)", at: token)
        }
        let arguments = Array(members.dropFirst(2))
        if name == "valueForKeyPath:", arguments.count == 1,
            case .constant(let path as String) = arguments[0].node
        {
            return members[0].appending(key: path)
        }
        return .method(name, operand: members[0], arguments)
    }

    /// `name:with:(a, b)`.
    private mutating func parseFunction() throws(PredicateFormatError) -> Piece {
        let token = current
        var name = ""
        while case .identifier(let part) = current.kind {
            name += part
            advance()
            guard accept(":") else { break }
            name += ":"
        }
        try expect("(", "after a function's name")
        let arguments = try parseList(until: ")")
        guard let function = PredicateFunction(name: name) else {
            throw failure(
                "there is no function \(name); a method is called FUNCTION(operand, \"\(name)\", …)",
                at: token, code: .unknownFunction)
        }
        guard function.argumentCount.contains(arguments.count) else {
            throw failure(
                "\(function.rawValue) does not take \(arguments.count) arguments", at: token,
                code: .unknownFunction)
        }
        if function == .cast {
            return .expression(NSExpression(node: NSExpression.castNode(arguments[0], arguments[1])))
        }
        return .expression(NSExpression(node: .function(function, arguments)))
    }
}
