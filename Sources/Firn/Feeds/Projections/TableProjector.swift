import FirnModel
public import FirnStore
public import Foundation

/// Keeps the tables of a `TableProjection` in a SQLite file, up to date with a store's history.
///
/// Several threads and processes may use one file, each with a projector of its own. The file is disposable: one that
/// is missing, or of another version, is built from the history when it is next used.
public final class TableProjector: Sendable {
    private let file: MaintainedTables

    /// The SQLite file that has the tables.
    public var url: URL { file.url }

    /// - Parameter store: by default the coordinator's first one that keeps a history.
    public init(
        _ projection: some TableProjection, of coordinator: NSPersistentStoreCoordinator,
        store: NSPersistentStore? = nil, at url: URL
    ) throws {
        let history = try coordinator.openHistory(of: store)
        file = MaintainedTables(StatefulContent(projection: projection, history: history), of: history, at: url)
    }

    /// Applies the transactions that came since.
    public func catchUp() throws { try file.catchUp() }

    /// Applies transactions as they come, until the task is cancelled or the store is removed.
    public func run() async throws { try await file.run() }

    /// Builds new tables next to the old ones, which are read and brought up to date meanwhile, and puts them in
    /// their place in one step. It may be called at any time, from any thread.
    public func rebuild() throws { try file.rebuild() }

    /// Reads one consistent state of the tables, as they are now.
    public func read<R>(_ body: (ProjectionTables) throws -> R) throws -> R { try file.read(body) }
}

/// A projection that is shown the state of the store in a context.
private struct StatefulContent: ProjectionContent {
    let projection: any TableProjection
    let history: OpenHistory

    var version: Int { projection.version }

    func createTables(in tables: ProjectionTables) throws { try projection.createTables(in: tables) }

    func apply(_ transaction: NSPersistentHistoryTransaction, to tables: ProjectionTables) throws {
        try projection.apply(transaction, to: tables)
    }

    func begin(at token: NSPersistentHistoryToken, in tables: ProjectionTables) throws {
        try projection.begin(with: history.state(at: token), in: tables)
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
