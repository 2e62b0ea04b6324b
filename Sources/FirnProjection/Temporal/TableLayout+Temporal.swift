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

    /// A table or link table, and the table of its versions.
    private struct Versioned {
        typealias Described = (name: String, definition: String)

        /// Of the present, which a view of the past has too.
        var name: String
        var key: [String]
        var rest: [Described]
        /// Columns that only the versions have.
        var added: [Described] = []

        /// The table of versions, quoted.
        var versions: String { TableLayout.versions(of: name) }
        /// The columns of the present, as a list.
        var shown: String { (key + rest.map(\.name)).joined(separator: ", ") }
        /// The columns that a new era copies, as a list.
        var copied: String { (key + (rest + added).map(\.name)).joined(separator: ", ") }

        static func integer(_ name: String) -> Described { (name, "\(name) INTEGER NOT NULL") }
    }

    /// Tables and link tables with the columns that they show, in the order of their numbers as places of eras.
    private var versioned: [Versioned] {
        tables.map { table in
            let head = ["Z_ENT", "Z_OPT"].map(Versioned.integer)
            return Versioned(
                name: table.name, key: ["Z_PK"], rest: head + table.columns.map { (quoted($0.name), $0.definition) })
        }
            + links.map { link in
                Versioned(
                    name: link.name, key: ["Z_SRC", "Z_DST"], rest: link.columns.dropFirst(2).map(Versioned.integer),
                    added: [Versioned.integer("Z_OPT")])
            }
    }

    /// The table of versions for a table, quoted. No entity has such a name.
    static func versions(of table: String) -> String { quoted(versionsName(of: table)) }

    private static func versionsName(of table: String) -> String { "firn_versions_" + table }

    /// The tables of a temporal projection: every version of every row. `Z_OPT` is the record that made a version, also
    /// of a link.
    ///
    ///     Z_ERA │ Z_PK │ Z_TO │ Z_FROM │ Z_ENT │ Z_OPT │ name
    ///     ──────┼──────┼──────┼────────┼───────┼───────┼──────
    ///         0 │    7 │    9 │      3 │     2 │     3 │ Ada     valid at 3 … 8
    ///         0 │    7 │  max │      9 │     2 │     9 │ Ann     valid from 9 on, to be looked for here before 40
    ///        40 │    7 │  max │     40 │     2 │     9 │ Ann     the same, from 40 on
    ///
    /// An era has every row that was valid at some time in it, and rows lie together by era: see `VersionEra`.
    var versionTableDefinitions: [String] {
        versioned.map { table in
            let head = ["Z_ERA"] + table.key + ["Z_TO", "Z_FROM"]
            let columns = head.map { "\($0) INTEGER NOT NULL" } + (table.rest + table.added).map(\.definition)
            return "CREATE TABLE \(table.versions)(\(columns.joined(separator: ", ")), "
                + "PRIMARY KEY (\(head.joined(separator: ", ")))) WITHOUT ROWID"
        } + [VersionEra.table]
    }

    /// The indexes of the projection, in each era.
    var versionIndexDefinitions: [String] {
        tables.flatMap { table in
            table.indexes.map { index in
                var index = index
                index.name = Self.versionIndex(index.name)
                index.elements.insert(.init(sql: "Z_ERA"), at: 0)
                return index.definition(table: Self.versionsName(of: table.name))
            }
        }
            + links.map {
                "CREATE INDEX \(quoted(Self.versionIndex($0.name + "_back"))) ON \(Self.versions(of: $0.name))"
                    + "(Z_ERA, Z_DST, Z_SRC)"
            }
    }

    /// No entity and no view of an entity has such a name.
    private static func versionIndex(_ name: String) -> String { "firn_" + name }

    /// Statistics for SQLite's planner, which assumes that the first column of an index selects few rows. An era,
    /// however, is a large part of a table (https://www.sqlite.org/fileformat2.html#the_sqlite_stat1_table).
    var versionStatistics: [String] {
        let keys = versioned.map { table in
            let rest = table.key.indices.map { table.key.count - $0 + 1 }
            let name = Self.versionsName(of: table.name)
            return (name, name, rest + [1, 1])
        }
        let indexes =
            tables.flatMap { table in
                table.indexes.map { index in
                    (
                        Self.versionsName(of: table.name), Self.versionIndex(index.name),
                        index.elements.indices.map { max(2, 10 - $0) }
                    )
                }
            } + links.map { (Self.versionsName(of: $0.name), Self.versionIndex($0.name + "_back"), [10, 2]) }
        return ["ANALYZE sqlite_schema"]
            + (keys + indexes).map { table, index, rest in
                let numbers = ([1_000_000, 300_000] + rest).map(String.init).joined(separator: " ")
                return "INSERT INTO sqlite_stat1 VALUES (\(sqlText(table)), \(sqlText(index)), '\(numbers)')"
            } + ["ANALYZE sqlite_schema"]
    }

    /// For each place, the statement that copies its rows from the attached database `past` into tables like the
    /// present's. It copies rows of the era ?1 that were valid after the record ?2.
    var pastCopying: [String] {
        versioned.map { table in
            "INSERT INTO main.\(quoted(table.name))(\(table.shown)) SELECT \(table.shown) FROM past.\(table.versions) "
                + "WHERE Z_ERA = ?1 AND Z_TO > ?2 AND Z_FROM <= ?2"
        }
    }

    /// Copies the rows of a place that are valid into another era: the numbers of the eras are ?1 and ?2.
    func eraBeginning(_ place: Int) -> String {
        let table = versioned[place]
        return "INSERT INTO main.\(table.versions)(Z_ERA, Z_FROM, Z_TO, \(table.copied)) "
            + "SELECT ?2, ?2, \(VersionWriter.open), \(table.copied) FROM main.\(table.versions) "
            + "WHERE Z_ERA = ?1 AND Z_TO = \(VersionWriter.open)"
    }

    /// Views of the rows that were valid at `firn_as_of()`, under the tables' own names. SQLite looks up temporary
    /// names first (https://www.sqlite.org/lang_naming.html), so every fetch works unchanged.
    var versionViewDefinitions: [String] {
        versioned.enumerated().map { place, table in
            "CREATE TEMP VIEW \(quoted(table.name)) AS SELECT \(table.shown) FROM main.\(table.versions) "
                + "WHERE Z_ERA = firn_era(\(place)) AND Z_TO > firn_as_of() AND Z_FROM <= firn_as_of()"
        }
    }
}

/// A text as an SQL literal, for places where nothing can be bound.
func sqlText(_ text: String) -> String { "'" + text.filter { $0 != "\0" }.replacing("'", with: "''") + "'" }
