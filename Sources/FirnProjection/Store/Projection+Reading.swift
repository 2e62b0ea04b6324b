internal import Foundation
package import FirnLog
internal import FirnSQLite

extension Projection {
    /// Runs `body` with a consistent snapshot: all that it reads is as of one checkpoint, which is not before
    /// `checkpoint`.
    package func read<R>(_ body: (ProjectionReader) throws -> R) throws -> R {
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
            }, body)
        } catch let error as SQLiteError where error.isDamage {
            throw ProjectionFile.damaged(path, error)
        }
    }

    /// A connection for reading. If another file takes the path's place meanwhile, SQLite may put the old file together
    /// with the new one's write-ahead log, which it finds by its name: then a new connection is made.
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

    /// The same with all that any program has committed by now.
    package func readAnew<R>(_ body: (ProjectionReader) throws -> R) throws -> R {
        pool.expire()
        return try read(body)
    }

    /// The last record that the tables have, whoever applied it: they are asked.
    package func storedCheckpoint() throws -> SequenceNumber {
        let stored = try readAnew { try $0.checkpoint }
        // What began meanwhile may see less.
        if stored > checkpoint { pool.expire() }
        noteCheckpoint(stored)
        return stored
    }
}
