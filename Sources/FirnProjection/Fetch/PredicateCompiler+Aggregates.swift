internal import FirnFoundation
internal import FirnLog

extension PredicateCompiler {
    /// The value of a collection operator in a key path: `children.@count`, `children.@sum.age`.
    func aggregate(
        _ keys: [String], _ path: String, _ node: Node, _ collection: Query?
    ) throws -> SQLExpression {
        guard let collection, let operation = keys.first else {
            throw UnsupportedPredicate(
                path, "a collection operator needs a to-many relationship before it")
        }
        let rest = keys.dropFirst().joined(separator: ".")
        if rest.isEmpty { return try reduce(operation, node.reference, collection, path) }
        guard case .value(let value) = try resolve(rest, from: node) else {
            throw UnsupportedPredicate(
                path, "behind a collection operator there may be no other to-many relationship; use SUBQUERY")
        }
        return try reduce(operation, value, collection, path)
    }

    /// One value for all rows of a query.
    func reduce(
        _ operation: String, _ value: SQLExpression, _ query: Query, _ path: String
    ) throws -> SQLExpression {
        if operation == "@count" {
            return SQLExpression("(SELECT count(*) \(query.source))", .integer)
        }
        let reduced = try reduction(operation, value, path)
        return SQLExpression("(SELECT \(reduced.sql) \(query.source))", reduced.type)
    }

    /// The SQL aggregate function for a collection operator. As in memory, the sum and the average of nothing are zero.
    func reduction(
        _ operation: String, _ value: SQLExpression, _ path: String
    ) throws -> SQLExpression {
        let isDecimal = value.type == .decimal
        switch operation {
        case "@count": return SQLExpression("count(\(value.sql))", .integer)
        case "@sum" where isDecimal:
            return SQLExpression("firn_decimal_sum(\(value.sql))", .decimal)
        case "@sum":
            return SQLExpression("coalesce(sum(\(value.sql)), 0)", value.type)
        case "@avg" where isDecimal:
            return SQLExpression("firn_decimal_average(\(value.sql))", .decimal)
        case "@avg":
            return SQLExpression("coalesce(avg(\(value.sql)), 0.0)", .real)
        case "@min", "@max":
            return SQLExpression("\(operation.dropFirst())(\(ordered(value)))", value.type)
        case "@median" where value.type.isNumber:
            return SQLExpression("firn_median(\(value.sql))", .real)
        case "@stddev" where value.type.isNumber:
            return SQLExpression("firn_deviation(\(value.sql))", .real)
        default:
            throw UnsupportedPredicate(
                path, "SQL has @count, @sum, @avg, @min and @max; evaluate “\(operation)” in memory")
        }
    }

    /// The expression with the collation by which its values are ordered.
    func ordered(_ value: SQLExpression) -> String {
        switch value.type {
        case .text, .uri: "\(value.sql) COLLATE firn_text"
        case .decimal: "\(value.sql) COLLATE firn_decimal"
        default: value.sql
        }
    }
}
