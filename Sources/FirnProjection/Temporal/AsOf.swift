internal import FirnLog
internal import FirnSQLite

/// The point that the views of one connection show: a sequence number, and the versions to look among in each table.
///
/// It is in a temporary table, whose rows SQLite reads once a statement.
enum AsOf {
    private static let table = """
        CREATE TEMP TABLE firn_point(
          place INTEGER PRIMARY KEY, as_of INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL)
        """

    /// Adds the views, which show nothing until a point is set.
    static func addViews(_ layout: TableLayout, to connection: Connection) throws {
        try connection.execute(table)
        for sql in layout.versionViewDefinitions { try connection.execute(sql) }
    }

    /// The rows that were valid at the point, as a condition.
    static func isValid(in place: Int) -> String {
        func point(_ column: String) -> String { "(SELECT \(column) FROM temp.firn_point WHERE place = \(place))" }
        return "Z_ID >= \(point("first")) AND Z_ID <= \(point("last")) AND Z_TO > \(point("as_of"))"
    }

    /// The versions of a sequence number that was applied never change.
    static func set(_ sequence: SequenceNumber, _ layout: TableLayout, on connection: Connection) throws {
        let current = try connection.integer("SELECT as_of FROM temp.firn_point LIMIT 1")
        if current == Int64(sequence.rawValue) { return }
        for place in layout.versionTables.indices {
            let versions = try VersionEra.versions(of: place, layout, at: sequence, on: connection)
            try connection.withStatement("INSERT OR REPLACE INTO temp.firn_point VALUES (?1, ?2, ?3, ?4)") {
                try $0.bind([Int64(place), Int64(sequence.rawValue), versions.lowerBound, versions.upperBound - 1])
                try $0.run()
            }
        }
    }
}
