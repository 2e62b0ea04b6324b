/// An index of FTS5 over the words of a table's text columns, for fetches with `TOKENMATCHES`.
///
/// It has no texts, and is kept by triggers (https://www.sqlite.org/fts5.html#contentless_tables). The words are those
/// of `TokenSearch`, without case and diacritics: the result is a superset, and a fetch checks the texts too.
package struct WordIndex: Hashable, Sendable {
    package var name: String
    /// Not quoted.
    package var columns: [String]

    /// The index's column for a column of the table; nil if it does not have it.
    func column(_ name: String) -> String? { columns.firstIndex(of: name).map { "c\($0)" } }

    /// The statements that make and fill it.
    func definitions(table: String) -> [String] {
        let (index, table) = (quoted(name), quoted(table))
        let names = columns.indices.map { "c\($0)" }.joined(separator: ", ")
        func words(_ row: String) -> String {
            "\(row)Z_PK, " + columns.map { "firn_tokens(\(row)\(quoted($0)))" }.joined(separator: ", ")
        }
        let insert = "INSERT INTO \(index)(rowid, \(names)) VALUES (\(words("new.")))"
        let delete = "INSERT INTO \(index)(\(index), rowid, \(names)) VALUES ('delete', \(words("old.")))"
        let changed = columns.map(quoted).joined(separator: ", ")
        return [
            "CREATE VIRTUAL TABLE \(index) USING fts5(\(names), content = '', columnsize = 0, tokenize = 'ascii')",
            "INSERT INTO \(index)(rowid, \(names)) SELECT \(words("")) FROM \(table)",
            "CREATE TRIGGER \(quoted(name + "_insert")) AFTER INSERT ON \(table) BEGIN \(insert); END",
            "CREATE TRIGGER \(quoted(name + "_update")) AFTER UPDATE OF \(changed) ON \(table) BEGIN "
                + "\(delete); \(insert); END",
            "CREATE TRIGGER \(quoted(name + "_delete")) AFTER DELETE ON \(table) BEGIN \(delete); END",
        ]
    }
}
