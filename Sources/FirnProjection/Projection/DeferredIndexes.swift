internal import FirnSQLite
internal import Foundation

/// The indexes that a deferred migration left out: those of the layout that the file does not have. They are found by
/// comparison and not recorded, so after a rebuild, which makes all indexes, none is missing.
struct DeferredIndexes {
    let layout: TableLayout

    /// Complexity: O(indexes).
    func missing(_ connection: Connection) throws -> [DeferrableIndex] {
        let all = layout.deferrableIndexes
        if all.isEmpty { return [] }
        return try connection.withStatement(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND name = ?1 COLLATE NOCASE"
        ) { statement in
            try all.filter { index in
                statement.reset()
                try statement.bind(index.name, at: 1)
                return try statement.step() && statement.integer(0) == 0
            }
        }
    }
}

extension Projection {
    /// How many indexes a deferred migration left to be made. Queries are right without them, only slower.
    package func deferredIndexCount() throws -> Int {
        lock.lock()
        defer { lock.unlock() }
        guard let session else { throw notOpen }
        return try DeferredIndexes(layout: layout).missing(session.connection).count
    }

    /// The number of indexes left to be made in the tables at `path`, which need not be open: 0 if they are not there,
    /// or of another layout.
    package static func deferredIndexCount(at path: String, layout: TableLayout) throws -> Int {
        guard try ProjectionFile(inspecting: path) == .ours else { return 0 }
        let connection = try ProjectionFile.connectionForReading(path)
        let known = try connection.withStatement("SELECT layout FROM firn_store") { statement in
            try statement.step() ? statement.text(0) : nil
        }
        return known == layout.fingerprint ? try DeferredIndexes(layout: layout).missing(connection).count : 0
    }

    /// Makes one of the indexes that are missing. False if there was none. The caller holds the log's writer lock.
    package func makeDeferredIndex() throws -> Bool {
        lock.lock()
        defer { lock.unlock() }
        guard let session else { throw notOpen }
        guard let index = try DeferredIndexes(layout: layout).missing(session.connection).first else { return false }
        pool.expire()
        try session.connection.execute(index.definition)
        session.connection.checkpointWALIfNeeded()
        return true
    }
}
