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

    /// Sets SQLite's pragmas for the connection that writes. The caller has checked names and values: they are words
    /// and numbers, which cannot be bound here. https://www.sqlite.org/pragma.html
    package func set(_ pragmas: [(name: String, value: String)]) throws {
        for (name, value) in pragmas { try execute("PRAGMA \(name) = \(value)") }
    }

    /// Whether SQLite's write-ahead log is large enough for a checkpoint.
    package var needsWALCheckpoint: Bool { walPageCount.load(ordering: .relaxed) >= walPageCountMax }

    /// In pages; SQLite's own default for automatic checkpoints.
    private var walPageCountMax: Int { 1_000 }

    /// Checkpoints SQLite's write-ahead log, if it is large and no transaction is open. It is separate from `commit`,
    /// because it writes all pages once more and waits for the disk twice.
    package func checkpointWAL() {
        lock.lock()
        checkpointIfIdle()
        // No local reference to the connection is left, so a thread that closes the file next closes it at once.
        lock.unlock()
    }

    private func checkpointIfIdle() {
        guard !isWriting, let session else { return }
        checkpointWAL(session.connection)
    }

    /// The same, called with the lock after writes other than change sets.
    func checkpointWAL(_ connection: Connection) {
        guard connection.walPageCount >= walPageCountMax else { return }
        // A checkpoint that fails or is incomplete is retried after the next commit.
        try? connection.checkpointWAL()
        walPageCount.store(0, ordering: .relaxed)
    }

    private func execute(_ sql: String) throws {
        lock.lock()
        defer { lock.unlock() }
        guard let session else { throw notOpen }
        pool.expire()
        try session.connection.execute(sql)
        checkpointWAL(session.connection)
    }
}
