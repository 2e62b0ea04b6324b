public import Firn
import FirnLog
import FirnProjection
import FirnSQLite
import FirnStore
public import Foundation

/// Keeps the tables of a `TableProjection` in a SQLite file, up to date with a store's history.
///
/// Several threads and processes may use one file, each with a projector of its own. The file is disposable: one that
/// is missing, or of another version, is built from the history when it is next used.
public final class TableProjector: @unchecked Sendable {
    /// The SQLite file that has the tables.
    public let url: URL
    private let content: any TableProjection
    private let coordinator: NSPersistentStoreCoordinator
    private let store: NSPersistentStore?
    private let history: OpenHistory

    /// Guards the two that follow.
    private let writing = NSRecursiveLock()
    private var database: ProjectionDatabase?
    private var fileNumber: UInt64?

    /// Guards the two that follow.
    private let reading = NSRecursiveLock()
    private var reader: Connection?
    private var readerFileNumber: UInt64?

    /// - Parameter store: by default the coordinator's first one that keeps a history.
    public init(
        _ projection: some TableProjection, of coordinator: NSPersistentStoreCoordinator,
        store: NSPersistentStore? = nil, at url: URL
    ) throws {
        self.url = url
        content = projection
        (self.coordinator, self.store) = (coordinator, store)
        history = try coordinator.openHistory(of: store)
    }

    /// Applies the transactions that came since.
    public func catchUp() throws {
        if try advance() == .mustRebuild { try rebuild() }
    }

    /// Applies transactions as they come, until the task is cancelled or the store is removed.
    public func run() async throws {
        let now = coordinator.currentPersistentHistoryToken(fromStores: store.map { [$0] })
        let feed = try coordinator.historyFeed(of: store, after: now)
        try catchUp()
        for try await _ in feed { try catchUp() }
    }

    /// Builds new tables next to the old ones, which are read and brought up to date meanwhile, and puts them in
    /// their place in one step. It may be called at any time, from any thread.
    public func rebuild() throws {
        try Self.locked(url.path + ".rebuild-lock") {
            let side = url.path + ".rebuild"
            while try build(side) == .mustRebuild {}
        }
    }

    /// Reads one consistent state of the tables, as they are now.
    public func read<R>(_ body: (ProjectionTables) throws -> R) throws -> R {
        reading.lock()
        defer { reading.unlock() }
        let connection = try connection()
        return try connection.transaction(.deferred) { try body(ProjectionTables(connection)) }
    }

    private func advance() throws -> ProjectionDatabase.Outcome {
        writing.lock()
        defer { writing.unlock() }
        guard let database = try current() else { return .mustRebuild }
        return try database.advance(erasuresKnownThrough: .zero)
    }

    /// Nil if the tables must be built. With `writing`.
    private func current() throws -> ProjectionDatabase? {
        let found = ProjectionFile.identity(url.path)
        if found == nil || found != fileNumber {
            database = nil
            guard found != nil else { return nil }
            database = try ProjectionDatabase(url.path, content, history)
            fileNumber = database == nil ? nil : ProjectionFile.identity(url.path)
        }
        return database
    }

    private func build(_ side: String) throws -> ProjectionDatabase.Outcome {
        Projection.remove(side)
        let known = history.log.head
        guard let fresh = try ProjectionDatabase(side, content, history) else { return .mustRebuild }
        guard try fresh.advance(erasuresKnownThrough: known) == .upToDate else { return .mustRebuild }
        writing.lock()
        defer { writing.unlock() }
        // What came while the others were applied.
        guard try fresh.advance(erasuresKnownThrough: known) == .upToDate else { return .mustRebuild }
        try fresh.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database = nil
        fileNumber = nil
        try Projection.replace(url.path, by: side)
        return .upToDate
    }

    /// With `reading`.
    private func connection() throws -> Connection {
        if let reader, readerFileNumber != nil, readerFileNumber == ProjectionFile.identity(url.path) { return reader }
        reader = nil
        if let opened = try open() { return opened }
        try catchUp()
        guard let opened = try open() else {
            throw CoreDataError.make(
                .persistentStoreOperation, "the tables at \(url.path) cannot be made: another version makes them too")
        }
        return opened
    }

    /// Nil if there are no tables of this version.
    private func open() throws -> Connection? {
        // A file that is replaced after this is opened once more for the next reading.
        guard let number = ProjectionFile.identity(url.path) else { return nil }
        let connection = try ProjectionFile.connectionForReading(url.path)
        guard try ProjectionDatabase.isCurrent(connection, content, history) else { return nil }
        (reader, readerFileNumber) = (connection, number)
        return connection
    }

    /// One at a time, across threads and processes.
    private static func locked<R>(_ path: String, _ body: () throws -> R) throws -> R {
        let lock = try PosixFileSystem().lock(path)
        _ = try lock.acquire(waiting: true)
        defer { lock.release() }
        return try body()
    }
}

/// Tables of an application's own that are made from a store's history: totals, a search index, a copy for reports.
///
///     struct Revenue: TableProjection {
///         let version = 1
///         func createTables(in tables: ProjectionTables) throws {
///             try tables.execute("CREATE TABLE revenue(customer TEXT PRIMARY KEY, cents INTEGER NOT NULL)")
///         }
///         func apply(_ transaction: NSPersistentHistoryTransaction, to tables: ProjectionTables) throws {
///             for change in transaction.changes ?? [] where change.changeType == .insert { … }
///         }
///         func begin(with state: NSManagedObjectContext, in tables: ProjectionTables) throws { … }
///     }
///     let projector = try TableProjector(Revenue(), of: coordinator, at: url)
///
/// The rows that `apply` and `begin` write are committed together with how far they came: each transaction is applied
/// exactly once, whenever the process ends. Both depend on nothing but their arguments, so that the tables can be built
/// again at any time.
public protocol TableProjection: Sendable {
    /// To be raised whenever the tables, or what is written into them, become others: then they are rebuilt.
    var version: Int { get }

    /// Makes the tables, in an empty database.
    func createTables(in tables: ProjectionTables) throws

    /// Writes what a transaction means for the tables. An error leaves them as they were before it.
    func apply(_ transaction: NSPersistentHistoryTransaction, to tables: ProjectionTables) throws

    /// Writes what the whole state of the store means, into empty tables: the history before it was trimmed. To be
    /// read in `state.performAndWait`.
    func begin(with state: NSManagedObjectContext, in tables: ProjectionTables) throws
}
