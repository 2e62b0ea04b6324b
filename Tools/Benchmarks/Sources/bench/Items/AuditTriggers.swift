/// History as users of plain SQLite keep it: triggers that write old and new values as JSON into a table.
/// https://sqlite.org/lang_createtrigger.html
enum AuditTriggers {
    /// The table, and three triggers for `table`.
    /// JSON has no blobs: those are written as digits.
    static func sql(table: String, columns: [String], blobs: Set<String> = []) -> String {
        func object(_ row: String) -> String {
            let values = columns.map { blobs.contains($0) ? "hex(\(row).\($0))" : "\(row).\($0)" }
            return "json_object(" + zip(columns, values).map { "'\($0)', \($1)" }.joined(separator: ", ") + ")"
        }
        return """
            CREATE TABLE IF NOT EXISTS audit (
                number INTEGER PRIMARY KEY, at REAL, tbl TEXT, row INTEGER, kind TEXT, old TEXT, new TEXT);
            CREATE TRIGGER \(table)_inserted AFTER INSERT ON \(table) BEGIN
                INSERT INTO audit (at, tbl, row, kind, new)
                VALUES (julianday('now'), '\(table)', new.id, 'insert', \(object("new")));
            END;
            CREATE TRIGGER \(table)_updated AFTER UPDATE ON \(table) BEGIN
                INSERT INTO audit (at, tbl, row, kind, old, new)
                VALUES (julianday('now'), '\(table)', new.id, 'update', \(object("old")), \(object("new")));
            END;
            CREATE TRIGGER \(table)_deleted AFTER DELETE ON \(table) BEGIN
                INSERT INTO audit (at, tbl, row, kind, old)
                VALUES (julianday('now'), '\(table)', old.id, 'delete', \(object("old")));
            END;
            """
    }
}
