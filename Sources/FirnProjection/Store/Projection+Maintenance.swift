internal import FirnSQLite
internal import Foundation

/// Looking after the tables' file.
extension Projection {
    /// Writes the file anew, without gaps.
    package func vacuum() throws { try execute("VACUUM") }

    /// Takes the statistics that queries are planned by.
    package func analyze() throws { try execute("ANALYZE") }

    /// How many connections for reading are kept when they are idle.
    package func setIdleConnectionsMax(_ count: Int) { pool.setIdleCountMax(count) }

    /// Sets SQLite's pragmas for the connection that writes. The caller has checked names and values: they are words
    /// and numbers, which cannot be bound here. https://www.sqlite.org/pragma.html
    package func set(_ pragmas: [(name: String, value: String)]) throws {
        for (name, value) in pragmas { try execute("PRAGMA \(name) = \(value)") }
    }

    private func execute(_ sql: String) throws {
        lock.lock()
        defer { lock.unlock() }
        guard let session else { throw notOpen }
        pool.expire()
        try session.connection.execute(sql)
        moveWrittenAhead(session.connection)
    }
}
