internal import FirnFoundation
internal import FirnLog

extension PredicateCompiler {
    /// The argument of an aggregate: what `compile` makes of a row. Where a dictionary stands for a group, a collection
    /// is that of all the group's rows. A member that several of them have is in it once for each.
    ///
    ///     (SELECT sum(t3.N) FROM json_each((SELECT json_group_array(t0.Z_PK))) AS t1
    ///         CROSS JOIN OWNERS AS t2 ON t2.Z_PK = t1.value CROSS JOIN MEMBERS AS t3 WHERE t3.OWNER = t2.Z_PK)
    ///
    /// The array is an aggregate of the outer query, as it names columns of that query only.
    func argument(_ node: Node, _ compile: (Node) throws -> Operand) throws -> Operand {
        let (wasGrouped, aggregatedRows) = (isGrouped, aggregatesRows)
        defer { (isGrouped, aggregatesRows) = (wasGrouped, aggregatedRows) }
        (isGrouped, aggregatesRows) = (false, false)
        let argument = try compile(node)
        guard wasGrouped, case .collection = argument else { return argument }
        let (keys, alias) = (makeAlias(), makeAlias())
        let rows = Query(from: "json_each((SELECT json_group_array(\(node.alias).Z_PK))) AS \(keys)")
        rows.join("CROSS JOIN \(quoted(node.place.tableName)) AS \(alias) ON \(alias).Z_PK = \(keys).value")
        let row = Node(query: rows, alias: alias, place: node.place, entity: node.entity)
        guard case .collection(let query, let element, let member) = try compile(row) else { return argument }
        return .collection(query.following(rows), element: element, node: member)
    }

    /// The value of a collection operator in a key path: `children.@count`, `children.@sum.age`.
    func aggregate(
        _ keys: ArraySlice<String>, _ path: String, of collection: Operand
    ) throws -> SQLExpression {
        guard case .collection(let query, let element, let node) = collection, let operation = keys.first else {
            throw UnsupportedPredicate(
                path, "a collection operator needs a to-many relationship before it")
        }
        let rest = keys.dropFirst().joined(separator: ".")
        if rest.isEmpty { return try reduce(operation, element, query, path) }
        guard case .value(let value) = try resolve(rest, from: node) else {
            throw UnsupportedPredicate(
                path, "behind a collection operator there may be no other to-many relationship; use SUBQUERY")
        }
        return try reduce(operation, value, query, path)
    }

    /// The value of a collection operator for all rows that a dictionary stands for: `@sum.price`, `name.@count`.
    func rowAggregate(
        _ keys: ArraySlice<String>, _ path: String, of value: SQLExpression, _ start: Node
    ) throws -> SQLExpression {
        let rest = keys.dropFirst().joined(separator: ".")
        let isOfRows = keys.startIndex == 0 && !rest.contains("@")
        guard let operation = keys.first, rest.isEmpty || isOfRows,
            case .value(let argument) = rest.isEmpty ? .value(value) : try resolve(rest, from: start)
        else {
            throw UnsupportedPredicate(path, "a collection operator needs a to-many relationship or a group before it")
        }
        hasRowAggregates = true
        return try reduction(operation, argument, path)
    }

    /// One value for all rows of a query.
    func reduce(
        _ operation: String, _ value: SQLExpression, _ query: Query, _ path: String
    ) throws -> SQLExpression {
        if operation == "@count", !aggregatesAsSQL {
            return SQLExpression("(SELECT count(*) \(query.source))", .integer)
        }
        let reduced = try reduction(operation, value, path)
        return SQLExpression("(SELECT \(reduced.sql) \(query.source))", reduced.type)
    }

    /// The SQL aggregate function for a collection operator. As in memory, the sum and the average of nothing are zero;
    /// in a dictionary there is no average of nothing.
    func reduction(
        _ operation: String, _ value: SQLExpression, _ path: String
    ) throws -> SQLExpression {
        if operation == "@count" { return SQLExpression("count(\(value.sql))", .integer) }
        // In a dictionary an index serves the least and the greatest of a bare column.
        let isExtreme = operation == "@min" || operation == "@max"
        let value = aggregatesAsSQL && isExtreme ? value : value.withoutNaN
        let isDecimal = value.type == .decimal
        switch operation {
        case "@sum" where isDecimal:
            return SQLExpression("firn_decimal_sum(\(value.sql))", .decimal)
        case "@sum" where value.type == .integer && !value.isNarrow:
            return SQLExpression("firn_sum(\(value.sql))", .integer)
        case "@sum":
            let type: SQLType = value.type == .boolean ? .integer : value.type == .date ? .real : value.type
            return SQLExpression("coalesce(sum(\(value.sql)), 0)", type)
        case "@avg" where isDecimal:
            return average("firn_decimal_average(\(value.sql))", .decimal, ofNothing: "'0'")
        case "@avg" where value.type == .integer && !value.isNarrow:
            return average("firn_average(\(value.sql))", .real, ofNothing: "0.0")
        case "@avg": return average("avg(\(value.sql))", .real, ofNothing: "0.0")
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

    private func average(_ sql: String, _ type: SQLType, ofNothing nothing: String) -> SQLExpression {
        SQLExpression(aggregatesAsSQL ? sql : "coalesce(\(sql), \(nothing))", type)
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
