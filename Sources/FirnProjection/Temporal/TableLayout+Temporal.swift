internal import FirnLog

extension TableLayout {
    /// The tables of a temporal projection: every version of every row.
    ///
    ///     Z_ROW │ Z_PK │ Z_ENT │ Z_OPT │ name │ Z_FROM │ Z_TO
    ///     ──────┼──────┼───────┼───────┼──────┼────────┼──────
    ///         1 │    7 │     2 │     3 │ Ada  │      3 │    9     valid at 3 … 8
    ///         5 │    7 │     2 │     9 │ Ann  │      9 │  max     valid from 9 on
    var versionTableDefinitions: [String] {
        let valid = ["Z_FROM INTEGER NOT NULL", "Z_TO INTEGER NOT NULL"]
        return tables.map { table in
            let head = [
                "Z_ROW INTEGER PRIMARY KEY", "Z_PK INTEGER NOT NULL", "Z_ENT INTEGER NOT NULL",
                "Z_OPT INTEGER NOT NULL",
            ]
            return "CREATE TABLE \(quoted(table.name))("
                + (head + table.columns.map(\.definition) + valid).joined(separator: ", ") + ")"
        }
            + links.map { link in
                "CREATE TABLE \(quoted(link.name))("
                    + (link.columns.map { "\($0) INTEGER NOT NULL" } + valid).joined(separator: ", ")
                    + ")"
            }
    }

    /// The indexes of the projection, and one to find the version of a key.
    var versionIndexDefinitions: [String] {
        tables.flatMap { table in
            ["CREATE INDEX \(quoted("Z_IX_\(table.name)_Z_PK")) ON \(quoted(table.name))(Z_PK, Z_TO)"]
                + table.indexes.map { $0.definition(table: table.name) }
        }
            + links.flatMap { link in
                [
                    "CREATE INDEX \(quoted(link.name + "_forth")) "
                        + "ON \(quoted(link.name))(Z_SRC, Z_DST, Z_TO)",
                    "CREATE INDEX \(quoted(link.name + "_back")) ON \(quoted(link.name))(Z_DST, Z_SRC)",
                ]
            }
    }

    /// Takes the rows of the attached database `base` as versions that are valid from `sequence` on.
    func versionBeginnings(at sequence: SequenceNumber) -> [String] {
        let all =
            tables.map { table in
                (table.name, ["Z_PK", "Z_ENT", "Z_OPT"] + table.columns.map { quoted($0.name) })
            } + links.map { ($0.name, $0.columns) }
        return all.map { name, columns in
            let list = columns.joined(separator: ", ")
            return "INSERT INTO main.\(quoted(name))(\(list), Z_FROM, Z_TO) "
                + "SELECT \(list), \(sequence.rawValue), \(VersionWriter.open) FROM base.\(quoted(name))"
        }
    }

    /// Views that hide the tables behind the rows that were valid at `firn_as_of()`, under the tables' own names:
    /// SQLite looks among temporary names first (https://www.sqlite.org/lang_naming.html), so that every fetch
    /// works unchanged.
    var versionViewDefinitions: [String] {
        let views =
            tables.map { table in
                (table.name, ["Z_PK", "Z_ENT", "Z_OPT"] + table.columns.map { quoted($0.name) })
            } + links.map { ($0.name, $0.columns) }
        return views.map { name, columns in
            "CREATE TEMP VIEW \(quoted(name)) AS SELECT \(columns.joined(separator: ", ")) "
                + "FROM main.\(quoted(name)) WHERE Z_FROM <= firn_as_of() AND Z_TO > firn_as_of()"
        }
    }
}
