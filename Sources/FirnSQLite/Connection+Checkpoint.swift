internal import CSQLite

/// Checkpoints of the write-ahead log.
///
/// SQLite before 3.51.3 damages a database if a checkpoint begins while another connection restarts the log
/// (https://www.sqlite.org/wal.html#walresetbug). Only a writer restarts it, so nobody may write during a checkpoint. A
/// connection cannot checkpoint in its own transaction; a second one has the write transaction:
///
///     this connection                    checkpoint
///     second connection    BEGIN IMMEDIATE ──────── ROLLBACK
///     others                   … wait …
extension Connection {
    /// In pages; SQLite's own default for automatic checkpoints.
    private static let walPageCountMax = 1_000
    /// How long a checkpoint waits for another writer, in milliseconds. One that waited in vain is tried again after
    /// the next commit.
    private static let writerTimeout: Int32 = 1_000

    /// Whether the write-ahead log is large enough for a checkpoint.
    package var needsWALCheckpoint: Bool { walPageCount >= Self.walPageCountMax }

    /// Copies the write-ahead log's pages into the file, as far as readers allow, if it is large. To be called after
    /// commits, outside of transactions. What fails, or is incomplete, is done after the next commit.
    package func checkpointWALIfNeeded() {
        if needsWALCheckpoint { try? checkpointWAL() }
    }

    /// Copies the write-ahead log's pages into the file, as far as readers allow
    /// (https://www.sqlite.org/c3ref/wal_checkpoint_v2.html). Other connections of any program cannot write meanwhile.
    ///
    /// Throws `SQLiteError` with the code `busy` if another connection writes for longer than a second.
    package func checkpointWAL() throws {
        guard let path = databasePath(handle) else { return }
        let writer = try Connection(.file(path), mode: .readWrite)
        writer.setBusyTimeout(milliseconds: Self.writerTimeout)
        try writer.begin(.immediate)
        defer { writer.rollback() }
        // Another file may have taken this one's place.
        guard try !hasMoved else { return }
        try check(sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil))
        walPageCount = 0
    }

    /// Whether the path leads to another file than the one that is open, or to none.
    package var hasMoved: Bool {
        get throws {
            var result: Int32 = 0
            try check(sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &result))
            return result != 0
        }
    }

    /// How many pages this connection has written so far, be it for commits or as its cache was full
    /// (https://www.sqlite.org/c3ref/c_dbstatus_options.html).
    package var writtenPageCount: Int {
        var (current, highest): (Int32, Int32) = (0, 0)
        sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_WRITE, &current, &highest, 0)
        return Int(current)
    }
}
