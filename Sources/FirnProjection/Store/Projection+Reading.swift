internal import Foundation
package import FirnLog
internal import FirnSQLite

extension Projection {
    /// Runs `body` with a consistent snapshot: all that it reads is as of one checkpoint.
    package func read<R>(_ body: (ProjectionReader) throws -> R) throws -> R {
        guard let path = location.path else {
            lock.lock()
            defer { lock.unlock() }
            guard let session else { throw notOpen }
            return try body(ProjectionReader(session.connection, layout: layout))
        }
        let connection = try pool.take {
            // The writing connection may have been replaced; a pooled one is checked by the pool.
            let connection = try Projection.configured(.file(path), mode: .readOnly)
            try identity.refuseOtherTables(on: connection)
            return connection
        }
        defer { pool.give(connection) }
        return try connection.transaction(.deferred) {
            try body(ProjectionReader(connection, layout: layout))
        }
    }

    /// The last record that the tables have, whoever applied it: they are asked.
    package func storedCheckpoint() throws -> SequenceNumber {
        let stored = try read { try $0.checkpoint }
        noteCheckpoint(stored)
        return stored
    }
}
