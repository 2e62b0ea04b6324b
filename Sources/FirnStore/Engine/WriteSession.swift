package import FirnLog
import FirnModel
package import FirnProjection

/// What a save may ask while it holds the writer lock.
package final class WriteSession: RowLookup {
    private let engine: StoreEngine
    private let foreign: [LogRecord]
    private let writer: LogWriter
    /// The sequence number that the change set will get.
    package let sequence: SequenceNumber
    /// Objects without a row that the save will write again.
    package var revived: Set<ObjectKey> = []
    /// Whether the tables' transaction is open, with everything that is in the log.
    private(set) var hasTables = false
    /// The keys given here.
    private var keys: [(root: EntityNumber, keys: Range<Int64>, epoch: Int)] = []

    /// `foreign` are the records that other writers appended since this engine last looked.
    init(engine: StoreEngine, writer: LogWriter, foreign: [LogRecord]) {
        self.engine = engine
        self.writer = writer
        sequence = writer.head.next
        self.foreign = foreign
    }

    /// Whether a row was changed by a save of which this engine hears only now.
    package func isRemote(_ key: ObjectKey) -> Bool {
        foreign.contains { record in
            guard case .changes(let changeSet) = record.body else { return false }
            return changeSet.groups.contains { $0.entity == key.entity && $0.primaryKeys.contains(key.primaryKey) }
        }
    }

    package var schema: StoreSchema { engine.schema }
    var derivations: DerivationPlan { engine.derivations }

    /// The newest row, of this program or another.
    package func snapshot(_ key: ObjectKey) throws -> Snapshot? {
        if engine.queued.contains(key) { try writer.flush() }
        if let cached = engine.rowCache.snapshot(key) { return cached }
        let epoch = engine.rowCache.epoch
        guard let (batch, row) = try reader.row(key) else { return nil }
        engine.rowCache.insert(read: batch, epoch: epoch)
        return Snapshot(batch: batch, row: row)
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

    /// Primary keys that no object of the root entity had before. They are given away for good once a record with them
    /// is appended.
    package func nextPrimaryKeys(root: EntityNumber, count: Int) throws -> Range<Int64> {
        if engine.keyAllocator.sequence.next != sequence {
            try openTables()
            engine.keyAllocator.load(engine.projection.lastKeys, at: engine.projection.appliedInTransaction)
        }
        let given = try engine.keyAllocator.reserve(count, in: root)
        if let epoch = engine.keyAllocator.epoch { keys.append((root, given, epoch)) }
        return given
    }

    /// The keys that were given here are in a record.
    func commitKeys() { keys.removeAll() }

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

    /// Ends all of it: takes keys back that were not written.
    package func end() {
        closeTables()
        for (root, given, epoch) in keys.reversed() { engine.keyAllocator.release(given, in: root, of: epoch) }
        keys.removeAll()
    }

    /// Closes the transaction, if it is still open.
    func closeTables() {
        guard hasTables else { return }
        engine.projection.rollback()
        hasTables = false
    }
}
