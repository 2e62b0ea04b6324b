package import FirnLog
import FirnModel
package import FirnProjection

/// What a save may ask while it holds the writer lock.
package final class WriteSession: SaveReader {
    private let engine: StoreEngine
    /// What others wrote since the save began.
    let remote: [LogRecord]
    private let writer: LogWriter
    /// The sequence number that the change set will get.
    package let sequence: SequenceNumber
    /// Objects without a row that the save will write again.
    package var revived: Set<ObjectKey> = []
    /// Whether the tables' transaction is open, with everything that is in the log.
    private(set) var hasTables = false

    /// `foreign` are the records that other writers appended since this engine last looked, or the save began.
    init(engine: StoreEngine, writer: LogWriter, remote: [LogRecord]) {
        self.engine = engine
        self.writer = writer
        sequence = writer.head.next
        self.remote = remote
    }

    /// Whether a row was changed by a save of which this engine hears only now.
    package func isRemote(_ key: ObjectKey) -> Bool { remote.haveChanged(key) }

    package var schema: StoreSchema { engine.schema }
    var derivations: DerivationPlan { engine.derivations }

    /// The newest row, of this program or another.
    package func snapshot(_ key: ObjectKey) throws -> Snapshot? {
        if engine.queued.contains(key) { try writer.flush() }
        return try engine.rowCache.snapshot(key) { try reader.row(key) }
    }

    /// Reads the tables as they are before the change set.
    package var reader: ProjectionReader {
        get throws {
            try openTables()
            return engine.projection.transactionReader
        }
    }

    /// Lets `body` read the rows as a change set would leave them.
    func trying<R>(_ changes: ChangeSet, _ body: (ProjectionReader) throws -> R) throws -> R {
        try openTables()
        return try engine.projection.trying(changes, at: sequence, body)
    }

    /// A link of the group's relationship as it is now, with its positions.
    package func link(_ group: LinkGroup, _ link: Link) throws -> Link? {
        try reader.link(link, of: group)
    }

    /// Primary keys that no object of the root entity had before.
    package func nextPrimaryKeys(root: EntityNumber, count: Int) throws -> Range<Int64> {
        if !engine.keyAllocator.isKnown {
            try openTables()
            engine.keyAllocator.load(engine.projection.lastKeys)
        }
        return try engine.keyAllocator.reserve(count, in: root).keys
    }

    /// Whether a transaction still stands: what its maker saw is as it was.
    ///
    /// At once if nothing was written since; else O(rows that it saw).
    func holds(_ basis: Basis) throws -> Bool {
        guard engine.keyAllocator.areValid(basis.keys) else { return false }
        if sequence == basis.head.next { return true }
        let keys = basis.versions.map(\.key) + basis.present
        try loadRows(keys)
        for (key, version) in basis.versions where try snapshot(key)?.version != version { return false }
        for key in basis.present where try !exists(key) { return false }
        return try basis.lookups.allSatisfy { lookup in
            let found = try self.keys(entity: lookup.entity, slots: lookup.slots, values: lookup.values)
            return Set(found) == lookup.found
        }
    }

    /// Reads by one statement what is in no cache.
    private func loadRows(_ keys: [ObjectKey]) throws {
        let cached = engine.rowCache.snapshots(keys)
        let missing = keys.indices.filter { cached[$0] == nil }.map { keys[$0] }
        if missing.count < 2 { return }
        let epoch = engine.rowCache.epoch
        for batch in try reader.rows(missing).batches { engine.rowCache.insert(read: batch, epoch: epoch) }
    }

    /// The keys of rows whose properties have these values: for uniqueness constraints.
    package func keys(entity: EntityNumber, slots: [Int], values: [PropertyValue]) throws -> [ObjectKey] {
        try reader.keys(of: entity, slots: slots, values: values)
    }

    /// Whether the log has this very record: see `SegmentLog.holds(_:at:)`.
    package func holds(_ link: ChainValue, at sequence: SequenceNumber) throws -> Bool? {
        try writer.flush()
        return try engine.log.holds(link, at: sequence)
    }

    /// Opens the transaction in which the change set is applied. Idempotent.
    func openTables() throws {
        if hasTables { return }
        try writer.flush()
        try engine.projector.begin(head: SequenceNumber(sequence.rawValue - 1))
        hasTables = true
    }

    /// Runs `append`, which applies and appends, and commits the tables. When it throws, the tables are as they were.
    package func commit(after append: () throws -> SequenceNumber) throws -> SequenceNumber {
        var appended: SequenceNumber?
        try engine.projector.commit(sequence) {
            appended = try append()
            hasTables = false
        }
        return appended ?? sequence
    }

    /// Closes the transaction, if it is still open.
    func closeTables() {
        guard hasTables else { return }
        engine.projection.rollback()
        hasTables = false
    }
}
