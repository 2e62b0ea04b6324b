/// An R-tree over up to five number columns of a table, for fetches by ranges of several columns.
///
/// It is a virtual table of its own, kept by triggers (https://www.sqlite.org/rtree.html). It stores 32-bit floats,
/// rounded outwards: the result is a superset, and a fetch checks the columns too. A value that is no number is in
/// every range.
package struct RangeIndex: Hashable, Sendable {
    /// SQLite's limit.
    static let columnCountMax = 5
    /// Greater values are clamped to this one, so that none overflows a 32-bit float.
    private static let valueMax = "3e38"

    package var name: String
    /// Not quoted.
    package var columns: [String]

    /// The statements that make and fill it.
    func definitions(table: String) -> [String] {
        let (tree, table) = (quoted(name), quoted(table))
        let bounds = columns.indices.map { "min\($0), max\($0)" }.joined(separator: ", ")
        func values(_ row: String) -> String {
            let pairs = columns.map { column -> String in
                let value = "\(row)\(quoted(column))"
                let number = "CASE WHEN typeof(\(value)) IN ('integer', 'real') THEN \(Self.clamped(value)) END"
                return "coalesce(\(number), -\(Self.valueMax)), coalesce(\(number), \(Self.valueMax))"
            }
            return "\(row)Z_PK, " + pairs.joined(separator: ", ")
        }
        let changed = columns.map(quoted).joined(separator: ", ")
        return [
            "CREATE VIRTUAL TABLE \(tree) USING rtree(id, \(bounds))",
            "INSERT INTO \(tree) SELECT \(values("")) FROM \(table)",
            "CREATE TRIGGER \(quoted(name + "_insert")) AFTER INSERT ON \(table) BEGIN "
                + "INSERT INTO \(tree) VALUES (\(values("new."))); END",
            "CREATE TRIGGER \(quoted(name + "_update")) AFTER UPDATE OF \(changed) ON \(table) BEGIN "
                + "INSERT OR REPLACE INTO \(tree) VALUES (\(values("new."))); END",
            "CREATE TRIGGER \(quoted(name + "_delete")) AFTER DELETE ON \(table) BEGIN "
                + "DELETE FROM \(tree) WHERE id = old.Z_PK; END",
        ]
    }

    /// A value as the tree has it.
    static func clamped(_ value: String) -> String { "max(min(\(value), \(valueMax)), -\(valueMax))" }
}
