internal import FirnLog
internal import FirnSQLite
internal import Foundation

/// The state after one record in tables like the present's, in a database of their own without a name.
///
/// In the tables of versions a row is found among all those of its object, and not by SQLite's fast row ID. Here a join
/// costs as much as in the present, but all rows were copied, so it is for states that are read often.
package final class PastSnapshot: @unchecked Sendable {
    /// Used with `lock` held.
    private let connection: Connection
    private let lock = NSRecursiveLock()
    private let layout: TableLayout
    private let sequence: SequenceNumber

    /// Copies the rows out of the tables of versions at `path`.
    ///
    /// Complexity: O(rows that were valid, and twice as many that were not).
    init(of path: String, layout: TableLayout, at sequence: SequenceNumber) throws {
        self.layout = layout
        self.sequence = sequence
        connection = try Projection.configured(.temporary, mode: .create)
        // The database is private to the connection and needs no journal.
        try connection.execute("PRAGMA journal_mode = OFF")
        for sql in layout.tableDefinitions { try connection.execute(sql) }
        try connection.withStatement("ATTACH ?1 AS past") { statement in
            try statement.bind(path, at: 1)
            try statement.run()
        }
        try connection.transaction(.deferred) { try copy() }
        connection.discardStatements()
        try connection.execute("DETACH past")
        for sql in layout.indexDefinitions { try connection.execute(sql) }
    }

    private func copy() throws {
        for (place, sql) in layout.pastCopying.enumerated() {
            let versions = try VersionEra.versions(of: place, layout, at: sequence, on: connection)
            try connection.withStatement(sql) { statement in
                try statement.bind([versions.lowerBound, versions.upperBound, Int64(sequence.rawValue)])
                try statement.run()
            }
        }
    }

    package func read<R>(_ body: (ProjectionReader) throws -> R) throws -> R {
        lock.lock()
        defer { lock.unlock() }
        return try body(ProjectionReader(connection, layout: layout, at: sequence))
    }
}
