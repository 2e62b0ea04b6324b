internal import Foundation
package import FirnLog
internal import FirnSQLite

extension Projection {
    /// Builds the tables from the log's records in a side file, which then replaces the old file.
    ///
    /// `feed` calls its argument with every record of the log, from the first on. The caller holds the log's writer
    /// lock. When `feed` throws, the old file is as it was. `mark` is the log's position after the last record.
    /// `progress` is called with the sequence number every 256 records.
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
            try use(build(location.connectionLocation, mark, progress, nil, feed))
            return
        }
        guard try ProjectionFile(inspecting: path) != .otherDatabase || Self.isEmptyDatabase(path) else {
            throw ProjectionFile.foreign(path)
        }
        let metadata = session.flatMap { try? ProjectionMetadata($0.connection) }
        // Closed before the file takes its place: SQLite must not see it under another name.
        try replaceFile(path) { side in _ = try build(.file(side), mark, progress, nil, feed) }
        if let session { try? metadata?.write(to: session.connection) }
    }

    /// Writes the tables as they are into a side file, which then replaces the old file: it has neither free pages nor
    /// a write-ahead log, nor nodes of indexes with what left them. The caller holds the log's writer lock.
    ///
    /// Complexity: O(bytes of the tables).
    package func rewrite() throws {
        guard let path = location.path else { return try vacuum() }
        lock.lock()
        defer { lock.unlock() }
        guard !isWriting else {
            fatalError("end the write transaction before the tables are written again")
        }
        try reopenIfReplaced()
        pool.expire()
        try dropCopies()
        try replaceFile(path, vacuumed)
    }

    /// Drops what SQLite keeps of values outside of rows: samples of the planner, and nodes of special indexes.
    private func dropCopies() throws {
        guard let session else { throw notOpen }
        let connection = session.connection
        try connection.transaction(.immediate) {
            try connection.execute("DROP TABLE IF EXISTS sqlite_stat4")
            for sql in layout.indexRenewals { try connection.execute(sql) }
        }
    }

    /// A function of its own, so that nothing refers to the connection when the file is replaced.
    private func vacuumed(_ side: String) throws {
        try session?.connection.withStatement("VACUUM INTO ?1") { statement in
            try statement.bind(side, at: 1)
            _ = try statement.step()
        }
        try Connection(.file(side), mode: .readWrite).execute("PRAGMA journal_mode = WAL")
    }

    /// Puts the file that `make` writes at a side path in the place of the one at `path`, and opens it. With the lock.
    private func replaceFile(_ path: String, _ make: (_ side: String) throws -> Void) throws {
        let side = Self.rebuildPath(path)
        Self.remove(side)
        Self.removeState(of: path)
        do {
            try make(side)
        } catch {
            Self.remove(side)
            throw error
        }
        session = nil
        // Should the rest fail, the next transaction opens the file that is there then.
        fileIdentity = .zero
        pool.reset()
        try Self.replace(path, by: side)
        try use(Self.configured(.file(path), mode: .readWrite))
    }

    /// Builds the tables from the records of a log up to one of them, or all. `each` is called with every record before
    /// it is applied.
    ///
    /// Without the writer's lock, others may append meanwhile what the tables get too.
    package func rebuild(
        from log: SegmentLog, through last: SequenceNumber? = nil, progress: ((SequenceNumber) -> Void)? = nil,
        each: (LogRecord) throws -> Void = { _ in }
    ) throws {
        try rebuild(mark: last == nil && log.isWriting ? log.mark : nil, progress: progress) { apply in
            let replay = try log.replay()
            while replay.position < last ?? SequenceNumber(.max), let record = try replay.next() {
                try each(record)
                try apply(record)
            }
        }
    }

    /// Adds the records that `feed` calls its argument with up to sums. Of these tables, which are in no file, the
    /// model's stay empty.
    func add(to sums: SumWriter, _ feed: (_ apply: (LogRecord) throws -> Void) throws -> Void) throws {
        guard location.path == nil else { fatalError("sums are made next to tables in no file") }
        lock.lock()
        defer { lock.unlock() }
        try use(build(location.connectionLocation, nil, nil, sums, feed))
    }

    /// Where tables are built before they take the place of those at `path`.
    static func rebuildPath(_ path: String) -> String { path + ".rebuild" }

    /// Whether another program's database has no tables, and can be read.
    static func isEmptyDatabase(_ path: String) throws -> Bool {
        do {
            let connection = try ProjectionFile.connectionForReading(path)
            return try connection.integer("SELECT count(*) FROM sqlite_schema") == 0
        } catch let error as SQLiteError where error.isDamage {
            return false
        }
    }

    /// A projection that can only be rebuilt: the existing file is not read.
    package static func unopened(
        _ location: ProjectionLocation, schema: StoreSchema, storeID: String, modelSequence: SequenceNumber
    ) -> Projection {
        Projection(
            location, layout: schema.layout, storeID: storeID, modelSequence: modelSequence, isReadOnly: false)
    }

    /// One transaction without a journal, since an incomplete rebuild is discarded.
    private func build(
        _ location: Connection.Location, _ mark: LogMark?, _ progress: ((SequenceNumber) -> Void)?,
        _ sums: SumWriter?, _ feed: (_ apply: (LogRecord) throws -> Void) throws -> Void
    ) throws -> Connection {
        let connection = try Connection(location, mode: .create)
        try ProjectionFunctions.install(on: connection)
        try connection.execute(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -64000")
        try connection.begin(.immediate)
        let builder = try TableBuilder(connection, for: self, sums: sums)
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

    /// Puts `side` at `path`. An empty file replaces the old one before its write-ahead log is removed, and the new one
    /// is moved last. A crash in between leaves the empty file, which is rebuilt: never a new file with an old
    /// write-ahead log, and never no file, as if somebody had deleted the store.
    package static func replace(_ path: String, by side: String) throws {
        try synchronize(side)
        try withFileOpen(path) {
            try replaceByEmptyFile(path)
            removeCompanions(side)
            guard rename(side, path) == 0 else {
                throw ProjectionError(
                    .unreadable,
                    "the rebuilt file cannot take this place: \(String(cString: strerror(errno)))",
                    path: path)
            }
        }
    }

    /// Runs `body`, which moves or removes the file at `path`, while a connection has that file open.
    ///
    /// SQLite removes a write-ahead log by its name when the last connection closes, unless the file has moved. A
    /// connection that looks just before the move would remove the log of the file that comes next. While this one is
    /// open, no other connection is the last, in whatever process.
    /// https://www.sqlite.org/howtocorrupt.html#_unlinking_or_renaming_a_database_file_while_in_use
    private static func withFileOpen(_ path: String, _ body: () throws -> Void) rethrows {
        try FolderLock.replacing.held(for: path) { try withFileOpenInLockedFolder(path, body) }
    }

    private static func withFileOpenInLockedFolder(_ path: String, _ body: () throws -> Void) rethrows {
        let connection = try? Connection(.file(path), mode: .readOnly)
        // SQLite locks the file with the first statement. A file that it cannot read has no write-ahead log in use.
        _ = try? connection?.integer("PRAGMA schema_version")
        try body()
        withExtendedLifetime(connection) {}
    }

    /// A rename before the bytes are on disk could leave a file of zeros after a crash.
    static func synchronize(_ path: String) throws {
        do { try Connection(.file(path), mode: .readOnly).synchronize() } catch {
            throw ProjectionError(.unreadable, "the tables' file cannot be synced", path: path, underlying: error)
        }
    }

    /// Puts an empty file, which is rebuilt when the store is opened, in the place of a projection's file.
    package static func empty(_ path: String) throws { try withFileOpen(path) { try replaceByEmptyFile(path) } }

    /// SQLite takes an empty file for a database without tables, and removes a write-ahead log that it finds with one.
    private static func replaceByEmptyFile(_ path: String) throws {
        let side = path + ".empty"
        let file = Foundation.open(side, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o644)
        guard file >= 0, close(file) == 0, rename(side, path) == 0 else {
            throw ProjectionError(
                .unreadable, "an empty file cannot take this place: \(String(cString: strerror(errno)))", path: path)
        }
        removeCompanions(path)
    }

    /// Removes a projection's file with its companions, if it is there.
    package static func remove(_ path: String) { withFileOpen(path) { removeFiles(path) } }

    /// See `remove(_:)`. The caller has the folder's lock.
    static func removeInLockedFolder(_ path: String) { withFileOpenInLockedFolder(path) { removeFiles(path) } }

    private static func removeFiles(_ path: String) {
        unlink(path)
        removeCompanions(path)
    }

    private static func removeCompanions(_ path: String) {
        for suffix in ["-wal", "-shm", "-journal"] { unlink(path + suffix) }
    }
}
