internal import FirnLog

extension TableLayout {
    /// The tables without R-trees and indexes of words, which do not store validity.
    var withoutIndexTables: TableLayout {
        let tables = tables.map { table in
            var table = table
            table.ranges = []
            table.words = []
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
        /// Whether the present has the record that made a row, in `Z_OPT`.
        var hasRecord: Bool

        /// The table of versions, quoted.
        var versions: String { TableLayout.versions(of: name) }
        /// The columns of the present, as a list.
        var columns: String { list("Z_OPT") }
        /// The columns of a version that they are.
        var shown: String { list("Z_FROM") }

        private func list(_ record: String) -> String {
            (key + (hasRecord ? [record] : []) + rest.map(\.name)).joined(separator: ", ")
        }

        static func integer(_ name: String) -> Described { (name, "\(name) INTEGER NOT NULL") }
    }

    /// Tables and link tables with the columns that they show, in the order of their numbers as places of eras.
    private var versioned: [Versioned] {
        tables.map { table in
            let columns = table.columns.map { (quoted($0.name), $0.definition) }
            return Versioned(
                name: table.name, key: ["Z_PK"], rest: [Versioned.integer("Z_ENT")] + columns, hasRecord: true)
        }
            + links.map { link in
                Versioned(
                    name: link.name, key: ["Z_SRC", "Z_DST"], rest: link.columns.dropFirst(2).map(Versioned.integer),
                    hasRecord: false)
            }
    }

    /// The table of versions for a table, quoted. No entity has such a name.
    static func versions(of table: String) -> String { quoted(versionsName(of: table)) }

    private static func versionsName(of table: String) -> String { "firn_versions_" + table }

    /// The tables of versions, quoted, in the order of their places.
    var versionTables: [String] { (tables.map(\.name) + links.map(\.name)).map(Self.versions) }

    /// The tables of a temporal projection: every version of every row, in the order of the records that made them.
    ///
    ///     Z_ID │ Z_PK │ Z_FROM │ Z_TO │ Z_COPY │ Z_ENT │ name
    ///     ─────┼──────┼────────┼──────┼────────┼───────┼──────
    ///        1 │    7 │      3 │    9 │      0 │     2 │ Ada     valid at 3 … 8
    ///        4 │    7 │      9 │  max │      0 │     2 │ Ann     valid from 9 on, to be looked for here before 40
    ///       20 │    7 │      9 │   52 │      1 │     2 │ Ann     the same, until 51
    ///
    /// An era is a range of `Z_ID` and has every row that was valid at some time in it: see `VersionEra`.
    var versionTableDefinitions: [String] {
        versioned.map { table in
            let heads = (table.key + ["Z_FROM", "Z_TO", "Z_COPY"]).map { "\($0) INTEGER NOT NULL" }
            let columns = ["Z_ID INTEGER PRIMARY KEY"] + heads + table.rest.map(\.definition)
            return "CREATE TABLE \(table.versions)(\(columns.joined(separator: ", ")))"
        } + [VersionEra.table]
    }

    /// The versions of one object or link by their ends.
    var versionKeyDefinitions: [String] {
        versioned.map { table in
            "CREATE INDEX \(quoted("firn_key_" + table.name)) ON \(table.versions)"
                + "(\((table.key + ["Z_TO"]).joined(separator: ", ")))"
        }
    }

    /// The indexes of the projection, if they are missing. Those with a collation of ours are left out: an index has an
    /// entry for each version, and other programs could not use it.
    var versionIndexDefinitions: [String] {
        tables.flatMap { table in
            table.indexes.filter { !$0.elements.contains { $0.sql.contains(" COLLATE ") } }.map { index in
                var index = index
                index.name = Self.versionIndex(index.name)
                return index.definition(table: Self.versionsName(of: table.name), ifMissing: true)
            }
        }
            + links.map {
                "CREATE INDEX IF NOT EXISTS \(quoted(Self.versionIndex($0.name + "_back"))) "
                    + "ON \(Self.versions(of: $0.name))(Z_DST, Z_SRC)"
            }
    }

    /// No entity and no view of an entity has such a name.
    private static func versionIndex(_ name: String) -> String { "firn_" + name }

    /// For each place, the statement that copies its rows from the attached database `past` into tables like the
    /// present's: those of the versions from ?1 to before ?2 that were valid after the record ?3.
    var pastCopying: [String] {
        versioned.map { table in
            "INSERT INTO main.\(quoted(table.name))(\(table.columns)) SELECT \(table.shown) "
                + "FROM past.\(table.versions) WHERE Z_ID >= ?1 AND Z_ID < ?2 AND Z_TO > ?3"
        }
    }

    /// Copies the rows of a place that are valid, of the era that begins with the version ?1, into a new one.
    func eraBeginning(_ place: Int) -> String {
        let table = versioned[place]
        let columns = (table.key + ["Z_FROM"] + table.rest.map(\.name)).joined(separator: ", ")
        return "INSERT INTO main.\(table.versions)(Z_TO, Z_COPY, \(columns)) "
            + "SELECT \(VersionWriter.open), 1, \(columns) FROM main.\(table.versions) "
            + "WHERE Z_ID >= ?1 AND Z_TO = \(VersionWriter.open) ORDER BY Z_ID"
    }

    /// Views of the rows that were valid at the point of `AsOf`, under the tables' own names. SQLite looks up temporary
    /// names first (https://www.sqlite.org/lang_naming.html), so every fetch works unchanged.
    var versionViewDefinitions: [String] {
        versioned.enumerated().map { place, table in
            "CREATE TEMP VIEW \(quoted(table.name))(\(table.columns)) AS SELECT \(table.shown) "
                + "FROM main.\(table.versions) WHERE \(AsOf.isValid(in: place))"
        }
    }
}

/// A text as an SQL literal, for places where nothing can be bound.
func sqlText(_ text: String) -> String { "'" + text.filter { $0 != "\0" }.replacing("'", with: "''") + "'" }
