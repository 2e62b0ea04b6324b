internal import Foundation
package import FirnLog
internal import FirnSQLite

extension Projection {
    /// Builds the tables anew from the log's records, beside the old file, and then takes its place.
    ///
    /// `feed` calls its argument with every record of the log, from the first on. The caller holds the log's writer
    /// lock. When `feed` throws, the old file is as it was. `mark` is where the log stands behind the last
    /// record. `progress` hears the sequence number now and then.
    package func rebuild(
        mark: LogMark? = nil, progress: ((SequenceNumber) -> Void)? = nil,
        _ feed: (_ apply: (LogRecord) throws -> Void) throws -> Void
    ) throws {
        guard !isReadOnly else {
            fatalError("this projection was opened for reading only")
        }
        lock.lock()
        defer { lock.unlock() }
        guard !isWriting else {
            fatalError("end the write transaction before a rebuild")
        }
        guard let path = location.path else {
            try use(build(location.connectionLocation, mark, progress, feed))
            return
        }
        guard try ProjectionFile(inspecting: path) != .otherDatabase || Self.isEmptyDatabase(path) else {
            throw ProjectionFile.foreign(path)
        }
        let side = Self.rebuildPath(path)
        Self.remove(side)
        Self.removeState(beside: path)
        do {
            // Closed before the file takes its place: SQLite must not see it under another name.
            _ = try build(.file(side), mark, progress, feed)
        } catch {
            Self.remove(side)
            throw error
        }
        session = nil
        pool.reset()
        try Self.replace(path, by: side)
        try use(Self.configured(.file(path), mode: .readWrite))
    }

    /// Where tables are built before they take the place of those at `path`.
    static func rebuildPath(_ path: String) -> String { path + ".rebuild" }

    /// Whether another program's database has no tables, and can be read.
    static func isEmptyDatabase(_ path: String) throws -> Bool {
        do {
            let connection = try connectionForReading(path)
            return try connection.integer("SELECT count(*) FROM sqlite_schema") == 0
        } catch let error as SQLiteError where error.isDamage {
            return false
        }
    }

    /// Tables that can only be rebuilt: nothing is read of what is there.
    package static func unopened(
        _ location: ProjectionLocation, schema: StoreSchema, storeID: String, modelSequence: SequenceNumber
    ) -> Projection {
        Projection(
            location, layout: schema.layout, storeID: storeID, modelSequence: modelSequence, isReadOnly: false)
    }

    /// One transaction without a journal: a rebuild that stops is thrown away whole.
    private func build(
        _ location: Connection.Location, _ mark: LogMark?, _ progress: ((SequenceNumber) -> Void)?,
        _ feed: (_ apply: (LogRecord) throws -> Void) throws -> Void
    ) throws -> Connection {
        let connection = try Connection(location, mode: .create)
        try ProjectionFunctions.install(on: connection)
        try connection.execute(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -64000")
        try connection.begin(.immediate)
        let builder = try TableBuilder(connection, for: self)
        try feed { record in
            try builder.apply(record)
            if record.sequence.rawValue % 256 == 0 { progress?(record.sequence) }
        }
        let checkpoint = builder.checkpoint
        try builder.finish(mark)
        try connection.commit()
        if builder.hasFreePages { try connection.execute("VACUUM") }
        progress?(checkpoint)
        if case .file = location {
            try connection.execute("PRAGMA journal_mode = WAL")
        } else {
            try connection.execute("PRAGMA cache_size = -8000; PRAGMA journal_mode = MEMORY")
        }
        return connection
    }

    /// Puts `side` at `path`. The old file goes before its write-ahead log, and the new one comes last: a stop in
    /// between leaves no file at all, which is rebuilt, and never a new file with an old write-ahead log.
    package static func replace(_ path: String, by side: String) throws {
        try synchronize(side)
        remove(path)
        removeCompanions(side)
        guard rename(side, path) == 0 else {
            throw ProjectionError(
                .unreadable,
                "the rebuilt file cannot take this place: \(String(cString: strerror(errno)))",
                path: path)
        }
    }

    /// Rename before the bytes are on disk could leave a file of zeros after a crash.
    private static func synchronize(_ path: String) throws {
        let file = Foundation.open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0, fsync(file) == 0 else {
            let reason = String(cString: strerror(errno))
            if file >= 0 { close(file) }
            throw ProjectionError(
                .unreadable, "the rebuilt file cannot be synced: \(reason)", path: path)
        }
        close(file)
    }

    /// Removes a projection's file with its companions, if it is there.
    package static func remove(_ path: String) {
        unlink(path)
        removeCompanions(path)
    }

    private static func removeCompanions(_ path: String) {
        for suffix in ["-wal", "-shm", "-journal"] { unlink(path + suffix) }
    }
}
