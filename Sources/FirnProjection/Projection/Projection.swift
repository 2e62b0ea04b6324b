package import FirnLog
internal import FirnSQLite
internal import Foundation
internal import Synchronization

/// The SQLite tables with the state of a log up to a checkpoint.
///
/// It has one writer at a time, of any program, and any number of readers, each with its own snapshot. In memory there
/// is one connection: reads wait while another thread writes, and see their own thread's writes.
package final class Projection: @unchecked Sendable {
    package let location: ProjectionLocation
    package let layout: TableLayout
    package let storeID: String
    /// The record that carries the model of `layout`.
    package let modelSequence: SequenceNumber
    package let isReadOnly: Bool

    /// Held from `begin` to `commit` or `rollback`, by one thread. Guards what follows.
    let lock = NSRecursiveLock()
    var session: TableWriter?
    var isWriting = false
    /// The identity of the file that the session has open.
    var fileIdentity: UInt64?
    let pool: ConnectionPool
    private let lastCheckpoint = Mutex<SequenceNumber>(.zero)
    /// Whether SQLite's write-ahead log was large after the last commit here.
    let isWALLarge = Atomic(false)
    /// The application's settings for the connection that writes. Guarded by `lock`.
    var pragmas: [(name: String, value: String)] = []

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

    // A delayed block of the pool may still hold idle connections.
    deinit { pool.reset() }

    /// The last record applied, as far as this object knows: another process may have applied more. What a reader
    /// sees is `ProjectionReader.checkpoint`.
    package internal(set) var checkpoint: SequenceNumber {
        get { lastCheckpoint.withLock { $0 } }
        set { lastCheckpoint.withLock { $0 = newValue } }
    }

    /// Advances the checkpoint to a record that another connection has committed.
    func advanceCheckpoint(to sequence: SequenceNumber) { lastCheckpoint.withLock { $0 = max($0, sequence) } }

    var identity: ProjectionIdentity {
        ProjectionIdentity(
            layout: layout, storeID: storeID, modelSequence: modelSequence,
            fingerprint: layout.fingerprint)
    }

    var notOpen: ProjectionError {
        ProjectionError(
            .unreadable, "the projection must be rebuilt before it is used", path: location.path)
    }

    func makeSession(_ connection: Connection) -> TableWriter {
        TableWriter(
            connection, layout: layout, applier: RowWriter(connection, layout: layout),
            modelSequence: modelSequence)
    }
}

extension Projection {
    /// Reads the state after an older record: builds its tables in a side file, reads them, and removes the file.
    ///
    /// `schema` is that of the model in force then, which record `modelSequence` carries, or one with the same terms.
    ///
    /// Complexity: that of a rebuild up to there.
    package func withState<R>(
        after last: SequenceNumber, of log: SegmentLog, _ schema: StoreSchema, _ modelSequence: SequenceNumber,
        _ body: (ProjectionReader) throws -> R
    ) throws -> R {
        let side: ProjectionLocation = location.path.map { .file(Self.statePath($0)) } ?? .memory
        if let path = side.path { Self.remove(path) }
        defer { if let path = side.path { Self.remove(path) } }
        let (state, _) = try Self.open(
            side, schema: schema, storeID: storeID, modelSequence: modelSequence, head: 1)
        try state.rebuild(from: log, through: last)
        return try state.read(body)
    }

    private static func statePath(_ path: String) -> String { path + ".state" }

    /// Removes the side files of programs that were killed. They may hold data that was erased from the log.
    static func removeState(of path: String) {
        remove(MigratedProjection.sidePath(path))
        remove(statePath(path))
        remove(rebuildPath(statePath(path)))
    }
}
