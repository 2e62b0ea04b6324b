internal import FirnSQLite
internal import Foundation
internal import Synchronization

/// Maintenance of the tables' file.
extension Projection {
    /// Rewrites the file without free pages.
    package func vacuum() throws { try execute("VACUUM") }

    /// Collects the statistics for SQLite's query planner.
    package func analyze() throws { try execute("ANALYZE") }

    /// The maximum count of idle connections for reading.
    package func setIdleConnectionsMax(_ count: Int) { pool.setIdleCountMax(count) }

    /// Sets SQLite's pragmas for the connection that writes, and for those that follow it when the file is replaced.
    /// The caller has checked names and values: they are words and numbers, which cannot be bound here.
    /// https://www.sqlite.org/pragma.html
    package func set(_ pragmas: [(name: String, value: String)]) throws {
        if pragmas.isEmpty { return }
        lock.lock()
        defer { lock.unlock() }
        guard let session else { throw notOpen }
        self.pragmas = pragmas
        try applyPragmas(to: session.connection)
    }

    func applyPragmas(to connection: Connection) throws {
        for (name, value) in pragmas { try connection.execute("PRAGMA \(name) = \(value)") }
    }

    /// Whether SQLite's write-ahead log is large enough for a checkpoint.
    package var needsWALCheckpoint: Bool { isWALLarge.load(ordering: .relaxed) }

    /// Checkpoints SQLite's write-ahead log, if it is large and no transaction is open. It is separate from `commit`,
    /// because it writes all pages once more and waits for the disk twice.
    package func checkpointWAL() {
        lock.lock()
        checkpointIfIdle()
        // No local reference to the connection is left, so a thread that closes the file next closes it at once.
        lock.unlock()
    }

    /// With the lock.
    private func checkpointIfIdle() {
        guard !isWriting, let session else { return }
        session.connection.checkpointWALIfNeeded()
        isWALLarge.store(false, ordering: .relaxed)
    }

    private func execute(_ sql: String) throws {
        lock.lock()
        defer { lock.unlock() }
        guard let session else { throw notOpen }
        pool.expire()
        try session.connection.execute(sql)
        session.connection.checkpointWALIfNeeded()
    }
}
