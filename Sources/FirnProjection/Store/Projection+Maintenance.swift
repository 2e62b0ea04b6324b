internal import FirnSQLite
internal import Foundation
internal import Synchronization

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

    /// Whether the last commit left much in SQLite's write-ahead log.
    package var hasMuchWrittenAhead: Bool { writtenAhead.load(ordering: .relaxed) >= writtenAheadMax }

    /// As many pages as SQLite itself would leave there.
    private var writtenAheadMax: Int { 1_000 }

    /// Moves what SQLite's write-ahead log holds into the file, if that is much and no transaction is open. The caller
    /// of `commit` does not wait for it: it writes all pages once more, and waits for the disk twice.
    package func moveWrittenAhead() {
        lock.lock()
        moveIfIdle()
        // Nothing here holds the connection any more: whoever closes the file next closes it there and then.
        lock.unlock()
    }

    private func moveIfIdle() {
        guard !isWriting, let session else { return }
        moveWrittenAhead(session.connection)
    }

    /// The same under the lock, for who has written other things than change sets.
    func moveWrittenAhead(_ connection: Connection) {
        guard connection.writeAheadPageCount >= writtenAheadMax else { return }
        // What fails here, or has to be left, is tried again after the next commit.
        try? connection.moveWriteAheadLog()
        writtenAhead.store(0, ordering: .relaxed)
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
