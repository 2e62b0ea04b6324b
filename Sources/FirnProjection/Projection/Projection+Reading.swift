internal import Foundation
package import FirnLog
internal import FirnSQLite

extension Projection {
    /// Runs `body` with a consistent snapshot of one checkpoint, which is not before `checkpoint`.
    package func read<R>(_ body: (ProjectionReader) throws -> R) throws -> R {
        try read(body) { _ in false }
    }

    private func read<R>(_ body: (ProjectionReader) throws -> R, isNews: (R) -> Bool) throws -> R {
        guard let path = location.path else {
            lock.lock()
            defer { lock.unlock() }
            guard let session else { throw notOpen }
            return try body(ProjectionReader(session.connection, layout: layout))
        }
        do {
            return try pool.read({
                // The writing connection may have been replaced; a pooled one is checked by the pool.
                try readingConnection(path)
            }, body, isNews: isNews)
        } catch let error as SQLiteError where error.isDamage {
            throw ProjectionFile.damaged(path, error)
        }
    }

    /// A connection for reading. SQLite finds a write-ahead log by its name. If another file replaces this one
    /// meanwhile, SQLite may combine the old file with the new log, so a new connection is made.
    private func readingConnection(_ path: String) throws -> Connection {
        let attemptsMax = 5
        for _ in 1..<attemptsMax {
            let file = ProjectionFile.identity(path)
            do {
                let connection = try checkedConnection(path)
                if ProjectionFile.identity(path) == file { return connection }
            } catch {
                guard ProjectionFile.identity(path) != file else { throw error }
            }
        }
        return try checkedConnection(path)
    }

    private func checkedConnection(_ path: String) throws -> Connection {
        let connection = try Projection.configuredForReading(path)
        try identity.refuseOtherTables(on: connection)
        return connection
    }

    /// As `read`, with everything that any program has committed by now.
    package func readLatest<R>(_ body: (ProjectionReader) throws -> R) throws -> R {
        pool.expire()
        return try read(body)
    }

    /// The last record that the tables hold, read from the file: another process may have applied it.
    package func storedCheckpoint() throws -> SequenceNumber {
        pool.expire()
        let stored = try read({ try $0.checkpoint }) { $0 > checkpoint }
        advanceCheckpoint(to: stored)
        return stored
    }
}
