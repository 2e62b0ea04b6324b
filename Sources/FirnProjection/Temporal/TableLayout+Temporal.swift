internal import FirnLog

extension TableLayout {
    /// The tables without R-trees, which do not store validity.
    var withoutRanges: TableLayout {
        let tables = tables.map { table in
            var table = table
            table.ranges = []
            return table
        }
        return TableLayout(tables: tables, links: links, places: places, model: model)
    }

    /// Tables and link tables with the columns that they show, in the order of their numbers as places of eras.
    private var versioned: [(name: String, key: [String], rest: [(name: String, definition: String)])] {
        tables.map { table in
            let head = ["Z_ENT", "Z_OPT"].map { ($0, "\($0) INTEGER NOT NULL") }
            return (table.name, ["Z_PK"], head + table.columns.map { (quoted($0.name), $0.definition) })
        }
            + links.map { link in
                (link.name, ["Z_SRC", "Z_DST"], link.columns.dropFirst(2).map { ($0, "\($0) INTEGER NOT NULL") })
            }
    }

    /// The tables of a temporal projection: every version of every row.
    ///
    ///     Z_ERA │ Z_PK │ Z_TO │ Z_FROM │ Z_ENT │ Z_OPT │ name
    ///     ──────┼──────┼──────┼────────┼───────┼───────┼──────
    ///         0 │    7 │    9 │      3 │     2 │     3 │ Ada     valid at 3 … 8
    ///         0 │    7 │  max │      9 │     2 │     9 │ Ann     valid from 9 on, to be looked for here before 40
    ///        40 │    7 │  max │     40 │     2 │     9 │ Ann     the same, from 40 on
    ///
    /// An era has every row that was valid at some time in it, and rows lie together by era: see `VersionEra`.
    var versionTableDefinitions: [String] {
        versioned.map { name, key, rest in
            let head = ["Z_ERA"] + key + ["Z_TO", "Z_FROM"]
            let columns = head.map { "\($0) INTEGER NOT NULL" } + rest.map(\.definition)
            return "CREATE TABLE \(quoted(name))(\(columns.joined(separator: ", ")), "
                + "PRIMARY KEY (\(head.joined(separator: ", ")))) WITHOUT ROWID"
        } + [VersionEra.table]
    }

    /// The indexes of the projection, in each era.
    var versionIndexDefinitions: [String] {
        tables.flatMap { table in
            table.indexes.map { index in
                var index = index
                index.elements.insert(.init(sql: "Z_ERA"), at: 0)
                return index.definition(table: table.name)
            }
        }
            + links.map {
                "CREATE INDEX \(quoted($0.name + "_back")) ON \(quoted($0.name))(Z_ERA, Z_DST, Z_SRC)"
            }
    }

    /// Statistics for SQLite's planner, which assumes that the first column of an index selects few rows. An era,
    /// however, is a large part of a table (https://www.sqlite.org/fileformat2.html#the_sqlite_stat1_table).
    var versionStatistics: [String] {
        let keys = versioned.map { table in
            let rest = table.key.indices.map { table.key.count - $0 + 1 }
            return (table.name, table.name, rest + [1, 1])
        }
        let indexes =
            tables.flatMap { table in
                table.indexes.map { (table.name, $0.name, $0.elements.indices.map { max(2, 10 - $0) }) }
            } + links.map { ($0.name, $0.name + "_back", [10, 2]) }
        return ["ANALYZE sqlite_schema"]
            + (keys + indexes).map { table, index, rest in
                let numbers = ([1_000_000, 300_000] + rest).map(String.init).joined(separator: " ")
                return "INSERT INTO sqlite_stat1 VALUES (\(text(table)), \(text(index)), '\(numbers)')"
            } + ["ANALYZE sqlite_schema"]
    }

    private func text(_ name: String) -> String { "'" + name.replacing("'", with: "''") + "'" }

    /// For each place, the statement that copies its rows from the attached database `past` into tables like the
    /// present's. It copies rows of the era ?1 that were valid after the record ?2.
    var pastCopying: [String] {
        versioned.map { table in
            let list = (table.key + table.rest.map(\.name)).joined(separator: ", ")
            return "INSERT INTO main.\(quoted(table.name))(\(list)) SELECT \(list) FROM past.\(quoted(table.name)) "
                + "WHERE Z_ERA = ?1 AND Z_TO > ?2 AND Z_FROM <= ?2"
        }
    }

    /// Copies the rows of a place that are valid into another era: the numbers of the eras are ?1 and ?2.
    func eraBeginning(_ place: Int) -> String {
        let table = versioned[place]
        let name = "main." + quoted(table.name)
        let list = (table.key + table.rest.map(\.name)).joined(separator: ", ")
        return "INSERT INTO \(name)(Z_ERA, Z_FROM, Z_TO, \(list)) "
            + "SELECT ?2, ?2, \(VersionWriter.open), \(list) FROM \(name) "
            + "WHERE Z_ERA = ?1 AND Z_TO = \(VersionWriter.open)"
    }

    /// Views of the rows that were valid at `firn_as_of()`, under the tables' own names. SQLite looks up temporary
    /// names first (https://www.sqlite.org/lang_naming.html), so every fetch works unchanged.
    var versionViewDefinitions: [String] {
        versioned.enumerated().map { place, table in
            let list = table.key + table.rest.map(\.name)
            return "CREATE TEMP VIEW \(quoted(table.name)) AS SELECT \(list.joined(separator: ", ")) "
                + "FROM main.\(quoted(table.name)) "
                + "WHERE Z_ERA = firn_era(\(place)) AND Z_TO > firn_as_of() AND Z_FROM <= firn_as_of()"
        }
    }
}
