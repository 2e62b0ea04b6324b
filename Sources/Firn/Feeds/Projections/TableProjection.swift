public import FirnStore
import Foundation

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
/// What `apply` and `begin` write is committed together with how far they came: each transaction is applied exactly
/// once, whenever the process ends. They depend on nothing but their arguments, so that the tables can be built
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
