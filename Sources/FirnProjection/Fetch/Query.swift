internal import FirnLog
internal import FirnModel

/// One SELECT while it is compiled: its sources and conditions.
final class Query {
    private(set) var from: String
    private(set) var joins: [String] = []
    var conditions: [String] = []
    /// Tables that were joined for a to-one, by the alias and the column it leads from.
    private var joined: [String: Node] = [:]

    init(from: String) { self.from = from }

    /// `FROM … JOIN … WHERE …`
    var source: String {
        var sql = "FROM "
        sql += from
        for join in joins {
            sql += " "
            sql += join
        }
        for (index, condition) in conditions.enumerated() {
            sql += index == 0 ? " WHERE " : " AND "
            sql += condition
        }
        return sql
    }

    func join(_ sql: String) { joins.append(sql) }

    /// This query, for each row of `rows`, whose alias its conditions name. SQLite keeps the order of a CROSS JOIN
    /// (https://www.sqlite.org/optoverview.html#manual_control_of_query_plans_using_cross_join).
    func following(_ rows: Query) -> Query {
        let query = Query(from: rows.from)
        query.joins = rows.joins + ["CROSS JOIN \(from)"] + joins
        query.conditions = rows.conditions + conditions
        return query
    }

    /// The destination's row of a to-one, joined only once.
    func node(_ key: String, make: () -> Node) -> Node {
        if let known = joined[key] { return known }
        let node = make()
        joined[key] = node
        return node
    }
}

/// The row at a step of a key path: a table under an alias in a query.
struct Node {
    let query: Query
    let alias: String
    let place: EntityPlace
    let entity: NSEntityDescription

    /// The object itself.
    var reference: SQLExpression {
        SQLExpression("\(alias).Z_PK", .reference(root: place.root), isColumn: true)
    }

    /// Without an alias, as in the definition of an index, the bare column.
    func column(_ name: String) -> String {
        alias.isEmpty ? quoted(name) : "\(alias).\(quoted(name))"
    }
}
