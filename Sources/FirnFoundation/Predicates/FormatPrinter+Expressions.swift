import Foundation

extension FormatPrinter {
    static func string(_ expression: NSExpression) -> String {
        switch expression.node {
        case .constant(let value): LiteralText.literal(value)
        case .evaluatedObject: "SELF"
        case .variable(let name): "$\(name)"
        case .anyKey: "ANYKEY"
        case .keyPath(let path, let operand): keyPath(path.string, of: operand)
        case .computedKeyPath(let path, let operand): computed(path, of: operand)
        case .function(let function, let arguments): string(function, arguments)
        case .method(let name, let operand, let arguments):
            "FUNCTION(\(list([operand, NSExpression(forConstantValue: name)] + arguments)))"
        case .set(let operation, let left, let right):
            "\(operand(left)) \(operation.rawValue) \(operand(right))"
        case .subquery(let collection, let variable, let predicate):
            "SUBQUERY(\(string(collection)), $\(variable), \(predicate.predicateFormat))"
        case .aggregate(let members): "{\(list(members))}"
        case .block: "BLOCK(\(ObjectIdentifier(expression).hashValue))"
        case .fetch(let request, let context, let countsOnly):
            "FETCH(\(list([request, context])), \(countsOnly ? "YES" : "NO"))"
        case .conditional(let predicate, let first, let second):
            "TERNARY(\(predicate.predicateFormat), \(list([first, second])))"
        }
    }

    /// The expression as one side of a comparison, where a whole number has no decimal point, as on Apple's systems.
    static func compared(_ expression: NSExpression) -> String {
        switch expression.node {
        case .constant(let value): LiteralText.literal(value, isComputedWith: false)
        case .aggregate(let members): "{\(members.map(compared).joined(separator: ", "))}"
        default: string(expression)
        }
    }

    /// The expression as an operand: in parentheses where it has operators of its own.
    static func operand(_ expression: NSExpression) -> String {
        hasOperators(expression) ? "(\(string(expression)))" : string(expression)
    }

    private static func hasOperators(_ expression: NSExpression) -> Bool {
        switch expression.node {
        case .set: true
        case .function(let function, _):
            function.infix != nil || function == .negate || function == .onesComplement
        default: false
        }
    }

    private static func list(_ expressions: [NSExpression]) -> String {
        expressions.map(string).joined(separator: ", ")
    }

    private static func string(_ function: PredicateFunction, _ arguments: [NSExpression]) -> String {
        if let infix = function.infix {
            return "\(operand(arguments[0])) \(infix.symbol) \(operand(arguments[1]))"
        }
        switch function {
        case .negate: return "-(\(string(arguments[0])))"
        case .onesComplement: return "~\(operand(arguments[0]))"
        case .cast: return "CAST(\(list(arguments)))"
        case .index: return "\(base(arguments[0]))[\(string(arguments[1]))]"
        default: return "\(function.rawValue)(\(list(arguments)))"
        }
    }

    /// The expression as what a `.` or `[` may follow.
    private static func base(_ expression: NSExpression) -> String {
        if case .constant(let value) = expression.node, !(value is String) {
            return "(\(string(expression)))"
        }
        return operand(expression)
    }

    private static func computed(_ path: NSExpression, of operand: NSExpression) -> String {
        if case .variable(let name) = path.node { return "\(base(operand)).$\(name)" }
        return "FUNCTION(\(list([operand, NSExpression(forConstantValue: "valueForKeyPath:"), path])))"
    }

    /// The path with its reserved words escaped, or as a function where it is no path that the language can write.
    private static func keyPath(_ path: String, of operand: NSExpression?) -> String {
        var keys: [String] = []
        for key in path.split(separator: ".", omittingEmptySubsequences: false) {
            if key.first == "@", ReservedWords.isName(key.dropFirst()) {
                keys.append(String(key))
            } else if ReservedWords.isIdentifier(key) {
                keys.append(ReservedWords.mustEscape(key) ? "#\(key)" : String(key))
            } else {
                let base = operand ?? .expressionForEvaluatedObject()
                let name = NSExpression(forConstantValue: "valueForKeyPath:")
                return "FUNCTION(\(list([base, name, NSExpression(forConstantValue: path)])))"
            }
        }
        let written = keys.joined(separator: ".")
        return operand.map { "\(base($0)).\(written)" } ?? written
    }
}
