internal import Foundation
package import FirnLog
internal import FirnSQLite
internal import Synchronization

/// The SQLite tables that hold what a log says, up to a checkpoint.
///
/// One writer at a time, for which the caller holds the log's lock; any number of readers, each with a snapshot of
/// its own. In memory there is one connection: reads wait while another thread writes, and see what their own thread
/// has written.
package final class Projection: @unchecked Sendable {
    package let location: ProjectionLocation
    package let layout: TableLayout
    package let storeID: String
    /// The record that carries the model of `layout`.
    package let modelSequence: SequenceNumber
    package let isReadOnly: Bool

    /// Held from `begin` to `commit` or `rollback`, by one thread. Guards what follows.
    let lock = NSRecursiveLock()
    var session: WriteSession?
    var isWriting = false
    /// Which file the session has open.
    var fileIdentity: UInt64?
    let pool: ConnectionPool
    private let lastCheckpoint = Mutex<SequenceNumber>(.zero)
    /// How many pages SQLite's write-ahead log had after the last commit here.
    let writtenAhead = Atomic(0)

    init(
        _ location: ProjectionLocation, layout: TableLayout, storeID: String,
        modelSequence: SequenceNumber, isReadOnly: Bool
    ) {
        self.location = location
        self.layout = layout
        self.storeID = storeID
        self.modelSequence = modelSequence
        self.isReadOnly = isReadOnly
        pool = ConnectionPool(path: location.path, layout: layout, keepsTransactions: true)
    }

    // The pool may be about to end what is idle.
    deinit { pool.reset() }

    /// The last record applied, as far as this object knows: another process may have applied more. What a reader
    /// sees is `ProjectionReader.checkpoint`.
    package internal(set) var checkpoint: SequenceNumber {
        get { lastCheckpoint.withLock { $0 } }
        set { lastCheckpoint.withLock { $0 = newValue } }
    }

    /// Takes note of what another connection has committed.
    func noteCheckpoint(_ sequence: SequenceNumber) { lastCheckpoint.withLock { $0 = max($0, sequence) } }

    var identity: ProjectionIdentity {
        ProjectionIdentity(
            layout: layout, storeID: storeID, modelSequence: modelSequence,
            fingerprint: layout.fingerprint)
    }

    var notOpen: ProjectionError {
        ProjectionError(
            .unreadable, "the projection must be rebuilt before it is used", path: location.path)
    }

    func makeSession(_ connection: Connection) -> WriteSession {
        WriteSession(
            connection, layout: layout, applier: RowWriter(connection, layout: layout),
            modelSequence: modelSequence)
    }
}
