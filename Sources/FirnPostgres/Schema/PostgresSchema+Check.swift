import FirnLog

extension PostgresSchema {
    /// Whether the database has the schema. Throws if it has another one under that name, or of another version;
    /// nothing is changed.
    static func isThere(_ connection: PostgresConnection, _ place: String) throws -> Bool {
        let found = try connection.query(
            """
            select to_regnamespace('firn') is not null, to_regclass('firn.format') is not null,
                (select count(*) from pg_catalog.pg_class where relnamespace = to_regnamespace('firn'))
            """)
        let (hasSchema, hasFormat) = (found.integer(0, 0) != 0, found.integer(0, 1) != 0)
        guard hasSchema, hasFormat || found.integer(0, 2) > 0 else { return false }
        guard hasFormat else {
            throw LogError(
                .notALog, "The schema firn of this database holds something else; choose another database.",
                path: place)
        }
        let rows = try connection.query("select version from firn.format")
        guard rows.count == 1 else {
            throw LogError(
                .notALog, "The table firn.format is not one that this program makes; choose another database.",
                path: place, expected: "one row", found: "\(rows.count)")
        }
        let version = rows.integer(0, 0)
        guard version == Self.version else {
            let advice =
                version < Self.version
                ? "An older program made this schema; pull the log with that program, and push it to a new database."
                : "A newer program made this schema; update this one."
            throw LogError(
                .unsupportedVersion, advice, path: place, expected: "version \(Self.version)", found: "\(version)")
        }
        return true
    }

    /// Makes what an earlier build's schema of the same version does not have.
    static func complete(_ connection: PostgresConnection) throws {
        let rows = try connection.query("select (to_regclass('firn.value_piece') is null)::int::bigint")
        if rows.integer(0, 0) != 0 { try connection.perform(installation) }
    }

    /// Stores a piece of a baseline.
    static func insertPiece(
        _ number: Int, of last: SequenceNumber, _ bytes: [UInt8], _ store: PostgresParameter,
        _ connection: PostgresConnection
    ) throws {
        _ = try connection.query(
            "insert into firn.baseline values ($1::uuid, $2::bigint, $3::bigint, $4::bytea)",
            [store, .integer(Int64(last.rawValue)), .integer(Int64(number)), .bytes(bytes)])
    }
}
