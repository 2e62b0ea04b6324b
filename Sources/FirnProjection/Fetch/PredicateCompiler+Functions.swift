internal import FirnFoundation
internal import class FirnFoundation.NSExpression
internal import FirnLog
internal import Foundation

extension PredicateCompiler {
    /// A function of `NSExpression` in SQL.
    func function(
        _ name: String, _ arguments: [NSExpression], _ node: Node, _ expression: NSExpression
    ) throws -> SQLExpression {
        if let collection = try collectionFunction(name, arguments, node, expression) {
            return collection
        }
        let values = try arguments.map { try value($0, node, expression) }
        if values.count == 2, let result = arithmetic(name, values[0], values[1]) { return result }
        if values.count == 1, let result = unary(name, values[0]) { return result }
        switch (name, arguments.count) {
        case ("now", 0), ("now:", 0):
            return SQLExpression(bind(.real(FetchClock.now)), .date)
        case ("castObject:toType:", 2):
            return try cast(values[0], arguments[1], expression)
        default:
            throw UnsupportedPredicate(
                expression.description, "SQL has no “\(name)”; evaluate it in memory")
        }
    }

    private func value(
        _ argument: NSExpression, _ node: Node, _ expression: NSExpression
    ) throws -> SQLExpression {
        switch try operand(argument, node) {
        case .value(let value): return value
        case .constant(let value):
            if let bound = bound(value, as: .any) { return bound }
            throw UnsupportedPredicate(expression.description, "SQL has no such value: \(value ?? "nil")")
        case .collection, .list:
            throw UnsupportedPredicate(
                expression.description, "a to-many key is not allowed here; use a collection operator")
        }
    }

    /// `count:(children)`, `sum:(children.age)` and their like.
    private func collectionFunction(
        _ name: String, _ arguments: [NSExpression], _ node: Node, _ expression: NSExpression
    ) throws -> SQLExpression? {
        let operations = [
            "count:": "@count", "sum:": "@sum", "average:": "@avg", "min:": "@min", "max:": "@max",
        ]
        guard let operation = operations[name], arguments.count == 1 else { return nil }
        switch try operand(arguments[0], node) {
        case .collection(let query, let element, _):
            return try reduce(operation, element, query, expression.description)
        case .value(let value) where aggregatesRows:
            return try reduction(operation, value, expression.description)
        case .value, .constant, .list:
            throw UnsupportedPredicate(
                expression.description,
                "“\(name)” needs a to-many relationship, or a dictionary fetch")
        }
    }

    private func arithmetic(
        _ name: String, _ left: SQLExpression, _ right: SQLExpression
    ) -> SQLExpression? {
        let isDecimal = left.type == .decimal || right.type == .decimal
        let isReal = left.type == .real || right.type == .real || left.type == .date
        let type: SQLType =
            left.type == .date || right.type == .date ? .date
            : isDecimal ? .decimal : isReal ? .real : .integer
        func infix(_ sign: String) -> SQLExpression {
            isDecimal
                ? SQLExpression("firn_decimal_\(decimalNames[sign] ?? "add")(\(left.sql), \(right.sql))", .decimal)
                : SQLExpression("(\(left.sql) \(sign) \(right.sql))", type)
        }
        switch name {
        case "add:to:": return infix("+")
        case "from:subtract:": return infix("-")
        case "multiply:by:": return infix("*")
        case "divide:by:": return infix("/")
        case "modulus:by:": return SQLExpression("firn_modulus(\(left.sql), \(right.sql))", type)
        case "raise:toPower:": return SQLExpression("pow(\(left.sql), \(right.sql))", .real)
        case "bitwiseAnd:with:": return SQLExpression("(\(left.sql) & \(right.sql))", .integer)
        case "bitwiseOr:with:": return SQLExpression("(\(left.sql) | \(right.sql))", .integer)
        case "bitwiseXor:with:":
            return SQLExpression(
                "((\(left.sql) | \(right.sql)) - (\(left.sql) & \(right.sql)))", .integer)
        case "leftshift:by:": return SQLExpression("(\(left.sql) << \(right.sql))", .integer)
        case "rightshift:by:": return SQLExpression("(\(left.sql) >> \(right.sql))", .integer)
        default: return nil
        }
    }

    private var decimalNames: [String: String] {
        ["+": "add", "-": "subtract", "*": "multiply", "/": "divide"]
    }

    private func unary(_ name: String, _ value: SQLExpression) -> SQLExpression? {
        func call(_ function: String, _ type: SQLType) -> SQLExpression {
            SQLExpression("\(function)(\(value.sql))", type)
        }
        switch name {
        case "abs:": return call("abs", value.type)
        case "ceiling:": return call("ceil", value.type)
        case "floor:": return call("floor", value.type)
        case "trunc:": return call("trunc", value.type)
        case "sqrt:": return call("sqrt", .real)
        case "ln:": return call("ln", .real)
        case "log:": return call("log10", .real)
        case "exp:": return call("exp", .real)
        case "onesComplement:": return SQLExpression("(~\(value.sql))", .integer)
        case "uppercase:": return call("firn_uppercase", .text)
        case "lowercase:": return call("firn_lowercase", .text)
        case "canonical:": return call("firn_canonical", .text)
        case "length:": return call("firn_length", .integer)
        // The sign keeps SQLite from using an index (https://www.sqlite.org/optoverview.html#disqualifying_where_clause_terms_using_unary_).
        case "noindex:": return SQLExpression("+\(value.sql)", value.type)
        default: return nil
        }
    }

    private func cast(
        _ value: SQLExpression, _ type: NSExpression, _ expression: NSExpression
    ) throws -> SQLExpression {
        guard case .constant(let name as String) = type.node else {
            throw UnsupportedPredicate(expression.description, "CAST needs the name of a class")
        }
        switch name {
        case "NSString" where value.type != .decimal:
            return SQLExpression("CAST(\(value.sql) AS TEXT)", .text)
        case "NSNumber" where value.type == .date: return SQLExpression(value.sql, .real)
        case "NSNumber": return SQLExpression("CAST(\(value.sql) AS NUMERIC)", .real)
        case "NSDate": return SQLExpression(value.sql, .date)
        case "NSDecimalNumber":
            return SQLExpression("firn_decimal(\(value.sql))", .decimal)
        default:
            throw UnsupportedPredicate(expression.description, "SQL has no “\(name)” to cast to")
        }
    }
}
