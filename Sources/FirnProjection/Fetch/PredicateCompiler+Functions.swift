internal import FirnFoundation
internal import class FirnFoundation.NSExpression
internal import FirnLog
internal import Foundation

extension PredicateCompiler {
    /// A function of `NSExpression` in SQL.
    func function(
        _ function: PredicateFunction, _ arguments: [NSExpression], _ node: Node,
        _ expression: NSExpression
    ) throws -> SQLExpression {
        if let collection = try collectionFunction(function, arguments, node, expression) {
            return collection
        }
        if function == .index { return try size(arguments, node, expression) }
        let values = try arguments.map { try Self.number(value($0, node, expression), for: function) }
        if values.count == 2, let result = arithmetic(function, values[0], values[1]) {
            return result
        }
        if values.count == 1, let result = unary(function, values[0]) { return result }
        switch function {
        case .now:
            isTimeless = false
            return SQLExpression(bind(.real(FetchClock.now)), .date)
        case .cast where values.count == 2: return try cast(values[0], arguments[1], expression)
        default:
            throw UnsupportedPredicate(
                expression.description, "SQL has no “\(function.rawValue)”; evaluate it in memory")
        }
    }

    /// An argument of a function. NaN is stored as a text, which SQL counts as 0, as it does texts that are no number.
    private static func number(_ value: SQLExpression, for function: PredicateFunction) -> SQLExpression {
        if function.isNumeric, value.type.isText { return SQLExpression("firn_numeral(\(value.sql))", .real) }
        return function.isNumeric || function == .cast ? value.withoutNaN : value
    }

    /// `children[SIZE]`.
    private func size(
        _ arguments: [NSExpression], _ node: Node, _ expression: NSExpression
    ) throws -> SQLExpression {
        if arguments.count == 2, case .constant(let symbol as IndexSymbol) = arguments[1].node,
            symbol == .size,
            case .collection(let query, let element, _) = try argument(node, { try operand(arguments[0], $0) })
        {
            return try reduce("@count", element, query, expression.description)
        }
        throw UnsupportedPredicate(
            expression.description, "SQL has [SIZE] only; access members of a relationship in memory")
    }

    private func value(
        _ argument: NSExpression, _ node: Node, _ expression: NSExpression
    ) throws -> SQLExpression {
        switch try operand(argument, node) {
        case .value(let value): return value
        case .constant(let value):
            if let bound = try bound(value, as: .any) { return bound }
            throw UnsupportedPredicate(expression.description, "SQL has no such value: \(value ?? "nil")")
        case .collection, .list:
            throw UnsupportedPredicate(
                expression.description, "a to-many key is not allowed here; use a collection operator")
        }
    }

    private static let operations: [PredicateFunction: String] = [
        .count: "@count", .sum: "@sum", .average: "@avg", .min: "@min", .max: "@max",
        .median: "@median", .standardDeviation: "@stddev",
    ]

    /// Whether the function makes one value of many. `[SIZE]` is an index.
    static func isAggregate(_ function: PredicateFunction) -> Bool { function == .index || operations[function] != nil }

    /// `count:(children)`, `sum:(children.age)` and their like.
    private func collectionFunction(
        _ function: PredicateFunction, _ arguments: [NSExpression], _ node: Node,
        _ expression: NSExpression
    ) throws -> SQLExpression? {
        guard let operation = Self.operations[function], arguments.count == 1 else { return nil }
        switch try argument(node, { try operand(arguments[0], $0) }) {
        case .collection(let query, let element, _):
            return try reduce(operation, element, query, expression.description)
        case .value(let value) where aggregatesRows:
            hasRowAggregates = true
            return try reduction(operation, value, expression.description)
        case .value, .constant, .list:
            throw UnsupportedPredicate(
                expression.description,
                "“\(function.rawValue)” needs a to-many relationship, or a dictionary fetch")
        }
    }

    private func arithmetic(
        _ function: PredicateFunction, _ left: SQLExpression, _ right: SQLExpression
    ) -> SQLExpression? {
        let isDecimal = left.type == .decimal || right.type == .decimal
        let isReal = left.type == .real || right.type == .real || left.type == .date
        let type: SQLType =
            left.type == .date && right.type == .date
            ? .real
            : left.type == .date || right.type == .date ? .date : isDecimal ? .decimal : isReal ? .real : .integer
        func infix(_ sign: String, _ decimalName: String) -> SQLExpression {
            isDecimal
                ? SQLExpression("firn_decimal_\(decimalName)(\(left.sql), \(right.sql))", .decimal)
                : SQLExpression("(\(left.sql) \(sign) \(right.sql))", type)
        }
        switch function {
        case .add: return infix("+", "add")
        case .subtract: return infix("-", "subtract")
        case .multiply: return infix("*", "multiply")
        case .divide: return infix("/", "divide")
        case .modulus: return SQLExpression("firn_modulus(\(left.sql), \(right.sql))", isDecimal ? .real : type)
        case .raise where left.type == .integer && right.type == .integer:
            return SQLExpression("firn_power(\(left.sql), \(right.sql))", .any)
        case .raise: return SQLExpression("pow(\(left.sql), \(right.sql))", .real)
        case .bitwiseAnd: return SQLExpression("(\(left.sql) & \(right.sql))", .integer)
        case .bitwiseOr: return SQLExpression("(\(left.sql) | \(right.sql))", .integer)
        case .bitwiseXor:
            return SQLExpression(
                "((\(left.sql) | \(right.sql)) - (\(left.sql) & \(right.sql)))", .integer)
        case .leftShift: return SQLExpression("(\(left.sql) << \(right.sql))", .integer)
        case .rightShift: return SQLExpression("(\(left.sql) >> \(right.sql))", .integer)
        default: return nil
        }
    }

    private func unary(_ function: PredicateFunction, _ value: SQLExpression) -> SQLExpression? {
        func call(_ name: String, _ type: SQLType) -> SQLExpression {
            SQLExpression("\(name)(\(value.sql))", type)
        }
        // SQLite's functions make a real of a decimal's text.
        func number(_ name: String) -> SQLExpression { call(name, value.type == .decimal ? .real : value.type) }
        switch function {
        // Of the least whole number SQLite has no absolute value, and an error.
        case .absolute where value.type == .integer:
            return SQLExpression("abs(max(\(value.sql), -\(Int64.max)))", .integer)
        case .absolute: return number("abs")
        case .ceiling: return number("ceil")
        case .floor: return number("floor")
        case .truncate: return number("trunc")
        case .squareRoot: return call("sqrt", .real)
        case .naturalLog: return call("firn_ln", .real)
        case .log: return call("firn_log10", .real)
        case .exponential: return call("exp", .real)
        case .negate where value.type == .decimal:
            return SQLExpression("firn_decimal_subtract(0, \(value.sql))", .decimal)
        case .negate: return SQLExpression("(-\(value.sql))", value.type)
        case .onesComplement: return SQLExpression("(~\(value.sql))", .integer)
        case .uppercase: return call("firn_uppercase", .text)
        case .lowercase: return call("firn_lowercase", .text)
        case .canonical: return call("firn_canonical", .text)
        case .length: return call("firn_length", .integer)
        // The sign keeps SQLite from using an index
        // (https://www.sqlite.org/optoverview.html#disqualifying_where_clause_terms_using_unary_).
        case .noIndex: return SQLExpression("+\(value.sql)", value.type, isColumn: value.mayBeNaN)
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
        case "NSString" where value.type == .decimal || value.type.isText: return SQLExpression(value.sql, .text)
        case "NSString" where value.type.convertsTexts || value.type == .any:
            return SQLExpression("firn_string(\(value.sql))", .text)
        case "NSNumber" where value.type == .date: return SQLExpression(value.sql, .real)
        case "NSNumber" where value.type.isText: return SQLExpression("firn_numeral(\(value.sql))", .real)
        case "NSNumber" where value.type == .decimal: return SQLExpression(value.sql, .decimal)
        case "NSNumber": return SQLExpression("CAST(\(value.sql) AS NUMERIC)", .real)
        case "NSDate" where value.type.isText: return SQLExpression("firn_numeral(\(value.sql))", .date)
        case "NSDate" where value.type == .decimal: return SQLExpression("firn_real(\(value.sql))", .date)
        case "NSDate": return SQLExpression(value.sql, .date)
        case "NSDecimalNumber" where value.type.isText:
            return SQLExpression("firn_decimal(nullif(\(value.sql), '\(notANumber)'))", .decimal)
        case "NSDecimalNumber": return SQLExpression("firn_decimal(\(value.sql))", .decimal)
        default:
            throw UnsupportedPredicate(expression.description, "SQL has no “\(name)” to cast to")
        }
    }
}
