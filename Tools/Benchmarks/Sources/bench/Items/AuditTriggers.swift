/// History as users of plain SQLite keep it: triggers that write old and new values as JSON into a table.
/// https://sqlite.org/lang_createtrigger.html
enum AuditTriggers {
    /// The table, and three triggers for `table`.
    /// JSON has no blobs: those are written as digits.
    static func sql(table: String, columns: [String], blobs: Set<String> = []) -> String {
        func quoted(_ name: String) -> String { "\"\(name)\"" }
        func object(_ row: String) -> String {
            let values = columns.map {
                blobs.contains($0) ? "hex(\(row).\(quoted($0)))" : "\(row).\(quoted($0))"
            }
            return "json_object(" + zip(columns, values).map { "'\($0)', \($1)" }.joined(separator: ", ") + ")"
        }
        return """
            CREATE TABLE IF NOT EXISTS audit (
                number INTEGER PRIMARY KEY, at REAL, tbl TEXT, row INTEGER, kind TEXT, old TEXT, new TEXT);
            CREATE TRIGGER \(quoted(table + "_inserted")) AFTER INSERT ON \(quoted(table)) BEGIN
                INSERT INTO audit (at, tbl, row, kind, new)
                VALUES (julianday('now'), '\(table)', new.id, 'insert', \(object("new")));
            END;
            CREATE TRIGGER \(quoted(table + "_updated")) AFTER UPDATE ON \(quoted(table)) BEGIN
                INSERT INTO audit (at, tbl, row, kind, old, new)
                VALUES (julianday('now'), '\(table)', new.id, 'update', \(object("old")), \(object("new")));
            END;
            CREATE TRIGGER \(quoted(table + "_deleted")) AFTER DELETE ON \(quoted(table)) BEGIN
                INSERT INTO audit (at, tbl, row, kind, old)
                VALUES (julianday('now'), '\(table)', old.id, 'delete', \(object("old")));
            END;
            """
    }

    /// What the history takes: the database's bytes with it, less those without it. The history is gone afterwards.
    static func size(in database: RawDatabase, tables: [String]) throws -> Double {
        let all = try size(database)
        for table in tables {
            for kind in ["inserted", "updated", "deleted"] { try database.execute("DROP TRIGGER \"\(table)_\(kind)\"") }
        }
        try database.execute("DROP TABLE audit")
        return try all - size(database)
    }

    /// Without what is free in it.
    private static func size(_ database: RawDatabase) throws -> Double {
        try database.execute("VACUUM")
        let statement = try database.prepare("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
        _ = try statement.step()
        return Double(statement.integer(0))
    }
}
