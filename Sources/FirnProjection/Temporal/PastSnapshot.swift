internal import FirnLog
internal import FirnSQLite
internal import Foundation

/// The state after one record in tables like the present's, in a database of their own without a name.
///
/// In the tables of versions a row is found by its era, its key and when it was valid, and not by the number that
/// SQLite finds rows by fastest: a join costs ten times what it costs in the present. Here it costs the same, but all
/// rows were copied: so it is for points that are asked much.
final class PastSnapshot: @unchecked Sendable {
    /// Used with `lock` held.
    private let connection: Connection
    private let lock = NSRecursiveLock()
    private let layout: TableLayout
    private let sequence: SequenceNumber

    /// Copies the rows out of the tables of versions at `path`.
    ///
    /// Complexity: O(rows that were valid, and as many that were not).
    init(of path: String, layout: TableLayout, at sequence: SequenceNumber) throws {
        self.layout = layout
        self.sequence = sequence
        connection = try Projection.configured(.temporary, mode: .create)
        // What is lost with the connection anyway needs no journal.
        try connection.execute("PRAGMA journal_mode = OFF")
        for sql in layout.tableDefinitions { try connection.execute(sql) }
        try connection.withStatement("ATTACH ?1 AS past") { statement in
            try statement.bind(path, at: 1)
            try statement.run()
        }
        try connection.transaction(.deferred) { try copy() }
        connection.forgetStatements()
        try connection.execute("DETACH past")
        for sql in layout.indexDefinitions { try connection.execute(sql) }
    }

    private func copy() throws {
        for (place, sql) in layout.pastCopying.enumerated() {
            let era = try VersionEra.start(of: place, at: sequence, on: connection)
            try connection.withStatement(sql) { statement in
                try statement.bind(era, at: 1)
                try statement.bind(Int64(sequence.rawValue), at: 2)
                try statement.run()
            }
        }
    }

    func read<R>(_ body: (ProjectionReader) throws -> R) throws -> R {
        lock.lock()
        defer { lock.unlock() }
        return try body(ProjectionReader(connection, layout: layout, at: sequence))
    }
}
