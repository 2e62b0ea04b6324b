package import FirnLog
package import FirnSQLite
internal import Foundation
internal import Synchronization

/// Every version of every row of a store, from which any past state is read like the present one.
///
/// It is built on first use from the same change sets as the projection, and updated by `catchUp`. It is as disposable
/// as the projection: a file of another model is removed and built again.
package final class TemporalProjection: @unchecked Sendable {
    package let location: ProjectionLocation
    package let layout: TableLayout
    private let identity: ProjectionIdentity
    private let modelSequence: SequenceNumber
    /// Guards the writing connection, and in memory all reading.
    private let lock = NSRecursiveLock()
    private var session: TableWriter
    private let pool: ConnectionPool
    private let lastCheckpoint: Mutex<SequenceNumber>
    /// Whether the tables have the model's indexes. These are made last, by sorting.
    private var hasIndexes = false
    /// Whether the writing connection has the views of one point, for reading.
    private var hasViews = false
    /// Whether this made the file, of the log as it is.
    let isNew: Bool
    /// Whether the words of values are indexed. Most of the time that a file takes to make may be theirs.
    let hasWords: Bool

    /// Opens the file, or makes it. Throws `ProjectionError` for a file that is not ours.
    ///
    /// - Parameters:
    ///   - baseline: the record that the log begins behind. A file that was made of another log is removed.
    ///   - needsWords: whether a file without an index of words is removed, and made again with one.
    package init(
        _ location: ProjectionLocation, schema: StoreSchema, storeID: String,
        modelSequence: SequenceNumber, baseline: SequenceNumber = .zero, needsWords: Bool = false
    ) throws {
        let layout = schema.layout.withoutIndexTables
        self.location = location
        self.layout = layout
        self.modelSequence = modelSequence
        identity = ProjectionIdentity(
            layout: layout, storeID: storeID, modelSequence: modelSequence,
            fingerprint: (layout.versionTableDefinitions + layout.versionKeyDefinitions + layout.versionIndexDefinitions
                + RecordTable.definitions
                + HistoryViews(layout).definitions + TextIndex.definitions + ["\(baseline)"]).joined(separator: "\n"))
        let connection = try Self.open(location, layout, identity, needsWords: needsWords)
        hasWords = try TextIndex.isThere(on: connection)
        isNew = try connection.integer("SELECT checkpoint FROM firn_store") == 0
        session = TableWriter(
            connection, layout: layout,
            applier: VersionWriter(connection, layout: layout, inMemory: location == .memory, hasWords: hasWords),
            modelSequence: modelSequence)
        try session.load()
        lastCheckpoint = Mutex(session.checkpoint)
        pool = ConnectionPool(path: location.path, layout: layout, keepsTransactions: false)
    }

    /// The connection that may write closes last, and so empties the write-ahead log.
    deinit { pool.reset() }

    /// Whether the file was removed, or another one took its place.
    var isReplaced: Bool {
        lock.lock()
        defer { lock.unlock() }
        return location.path != nil && (try? session.connection.hasMoved) ?? true
    }

    /// The last record that was applied.
    package var checkpoint: SequenceNumber { lastCheckpoint.withLock { $0 } }

    /// The date of a record in seconds since 1970, of tables in a file; nil for one that has none.
    func date(of sequence: SequenceNumber) throws -> Double? {
        lock.lock()
        defer { lock.unlock() }
        let sql = "SELECT unix_time FROM firn_records WHERE number = \(sequence.rawValue)"
        return try session.connection.withStatement(sql) { statement in
            try statement.step() && !statement.isNull(0) ? statement.real(0) : nil
        }
    }

    /// Applies the records since the checkpoint, many of them in several transactions. `feed` receives the checkpoint
    /// and a function that it must call with each later record, in order.
    package func catchUp(
        _ feed: (_ after: SequenceNumber, _ apply: (LogRecord) throws -> Void) throws -> Void
    ) throws {
        lock.lock()
        defer { lock.unlock() }
        let session = session
        if hasIndexes { return try catchUp(session, feed) }
        // The first time there may be many records, which change pages all over the file.
        try session.connection.execute("PRAGMA cache_size = -64000")
        try catchUp(session, feed)
        hasIndexes = true
        try session.connection.execute("PRAGMA cache_size = -8000; PRAGMA shrink_memory")
    }

    private func catchUp(
        _ session: TableWriter,
        _ feed: (_ after: SequenceNumber, _ apply: (LogRecord) throws -> Void) throws -> Void
    ) throws {
        try session.connection.transaction(.immediate) {
            try session.load()
            try feed(session.checkpoint) { try apply($0, session) }
            try session.store()
            if !hasIndexes {
                for sql in layout.versionIndexDefinitions { try session.connection.execute(sql) }
            }
        }
        session.connection.checkpointWALIfNeeded()
        lastCheckpoint.withLock { $0 = session.checkpoint }
    }

    private func apply(_ record: LogRecord, _ session: TableWriter) throws {
        // The parts of a baseline are applied together: each has the number of the record that they stand for.
        if case .baseline = record.body { return try session.apply(record) }
        // Between two transactions another process may have applied it.
        guard record.sequence > session.checkpoint else { return }
        try session.apply(record)
        guard session.isTransactionLarge else { return }
        try session.store()
        try session.connection.commit()
        session.connection.checkpointWALIfNeeded()
        try session.connection.begin(.immediate)
        try session.load()
    }

    /// Registers a model from before the checkpoint: later records may use its terms.
    package func remember(_ model: LogModel, at sequence: SequenceNumber) {
        lock.lock()
        defer { lock.unlock() }
        session.remember(model, at: sequence)
    }

    /// Notes a record from before those that are applied. For the function that `catchUp` calls.
    func describe(_ record: LogRecord) throws {
        lock.lock()
        defer { lock.unlock() }
        try session.describe(record)
    }

    /// Reads the state after a record, which must not be past the checkpoint.
    package func read<R>(at sequence: SequenceNumber, _ body: (ProjectionReader) throws -> R) throws -> R {
        try reading { try read($0, at: sequence, body) }
    }

    /// Calls `body` with exclusive use of a connection, in a transaction if the tables are in a file. Throws
    /// `ReplacedFile` before that, if the file has not what was applied. A file that was removed is open here still.
    package func reading<R>(_ body: (Connection) throws -> R) throws -> R {
        guard let path = location.path, !isReplaced else {
            lock.lock()
            defer { lock.unlock() }
            if !hasViews { try AsOf.addViews(layout, to: session.connection) }
            hasViews = true
            return try body(session.connection)
        }
        return try pool.read({
            do {
                let connection = try Projection.configured(.file(path), mode: .readOnly)
                try AsOf.addViews(layout, to: connection)
                return connection
            } catch let error as SQLiteError where error.isOfRemovedFile {
                throw ReplacedFile()
            }
        }) { reader in
            guard let found = try? reader.checkpoint, found >= checkpoint, !isReplaced else { throw ReplacedFile() }
            return try body(reader.connection)
        }
    }

    private func read<R>(
        _ connection: Connection, at sequence: SequenceNumber,
        _ body: (ProjectionReader) throws -> R
    ) throws -> R {
        try AsOf.set(sequence, layout, on: connection)
        return try body(ProjectionReader(connection, layout: layout, at: sequence))
    }

    /// About how many rows the state after a record has.
    func rowCount(at sequence: SequenceNumber) throws -> Int {
        try reading { connection in
            try layout.versionTables.indices.reduce(0) {
                try $0 + VersionEra($1, at: sequence, on: connection).live
            }
        }
    }

    /// The rows after a record in tables of their own; nil in memory, and of a file that was removed.
    package func snapshot(at sequence: SequenceNumber) throws -> PastSnapshot? {
        guard let path = location.path, !isReplaced else { return nil }
        return try PastSnapshot(of: path, layout: layout, at: sequence)
    }

    private static func open(
        _ location: ProjectionLocation, _ layout: TableLayout, _ identity: ProjectionIdentity, needsWords: Bool
    ) throws -> Connection {
        guard case .file(let path) = location else {
            return try create(location.connectionLocation, layout, identity, needsWords)
        }
        return try FolderLock.replacing.held(for: path) {
            try openInLockedFolder(path, layout, identity, needsWords: needsWords)
        }
    }

    private static func openInLockedFolder(
        _ path: String, _ layout: TableLayout, _ identity: ProjectionIdentity, needsWords: Bool
    ) throws -> Connection {
        switch try ProjectionFile(inspecting: path) {
        case .missing: return try create(.file(path), layout, identity, needsWords)
        case .otherDatabase:
            throw ProjectionError(
                .foreign,
                "this SQLite database was not made by this library, and nothing was written to it; move it: its name "
                    + "is that of the store's history", path: path)
        case .ours: break
        }
        do {
            let connection = try Projection.opened(.file(path), mode: .readWrite)
            let isWhole = try !needsWords || TextIndex.isThere(on: connection)
            if try identity.mismatch(on: connection) == nil, isWhole { return connection }
        } catch let error as SQLiteError
            where error.code == .corrupt || error.code == .notADatabase
        {}
        Projection.removeInLockedFolder(path)
        return try create(.file(path), layout, identity, needsWords)
    }

    private static func create(
        _ location: Connection.Location, _ layout: TableLayout, _ identity: ProjectionIdentity, _ hasWords: Bool
    ) throws -> Connection {
        let connection = try Projection.opened(location, mode: .create)
        try connection.transaction(.immediate) {
            // Another process may have made it since there was none.
            if try identity.mismatch(on: connection) == nil { return }
            try identity.mark(connection)
            for sql in layout.versionTableDefinitions + layout.versionKeyDefinitions { try connection.execute(sql) }
            try identity.describe(on: connection, checkpoint: .zero)
            try VersionEra.beginAll(layout, on: connection)
            if location != .memory { try RecordTable(connection).make(layout, hasWords: hasWords) }
        }
        try Projection.useWriteAheadLog(connection)
        try connection.openFiles()
        return connection
    }
}
