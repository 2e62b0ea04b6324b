import FirnLog
import FirnProjection

/// The queries of the one that writes while it holds the writer lock.
final class WriteSession {
    private let engine: StoreEngine
    private let writer: LogWriter
    /// The sequence number that the change set will get.
    let sequence: SequenceNumber
    /// Whether the tables' transaction is open, with everything that is in the log.
    private(set) var hasTables = false

    init(engine: StoreEngine, writer: LogWriter) {
        self.engine = engine
        self.writer = writer
        sequence = writer.head.next
    }

    /// The newest row, of this program or another.
    func snapshot(_ key: ObjectKey) throws -> Snapshot? {
        if engine.queued.contains(key) { try writer.flush() }
        return try engine.rowCache.snapshot(key) { try reader.row(key) }
    }

    /// Reads the tables as they are before the change set.
    var reader: ProjectionReader {
        get throws {
            try openTables()
            return engine.projection.transactionReader
        }
    }

    /// Primary keys that no object of the root entity had before.
    func nextPrimaryKeys(root: EntityNumber, count: Int) throws -> Range<Int64> {
        if !engine.keyAllocator.isKnown { try engine.loadKeys(reader) }
        return try engine.keyAllocator.reserve(count, in: root).keys
    }

    /// Whether a transaction still stands. What the store computed for it is computed again if that does not.
    func validate(_ prepared: inout PreparedTransaction) throws -> Bool {
        let transaction = prepared.transaction
        for save in transaction.unanswered { try save.check(holds(_:at:), path: engine.place) }
        if let basis = transaction.basis, try !holds(basis) { return false }
        guard engine.hasPart(in: transaction), try !holds(prepared) else { return true }
        let reader = try TableReader(
            self.reader, engine.schema, engine.keyAllocator, head: SequenceNumber(sequence.rawValue - 1))
        try engine.loadKeys(self.reader)
        try engine.compute(&prepared, reader)
        try engine.moveLargeValues(of: &prepared)
        return true
    }

    /// Whether what the store computed is as it would be computed now.
    private func holds(_ prepared: PreparedTransaction) throws -> Bool {
        guard prepared.isComplete, prepared.files.allSatisfy({ engine.externalValues?.has($0) ?? false })
        else { return false }
        guard let basis = prepared.tables else { return true }
        guard engine.keyAllocator.areValid(basis.keys) else { return false }
        if sequence == basis.head.next { return true }
        if !engine.queued.isEmpty { try writer.flush() }
        return engine.tableVersions.hold(basis, engine.schema.layout)
    }

    /// Whether what a transaction's maker saw is as it was.
    ///
    /// At once if nothing was written since; else O(rows that it saw).
    func holds(_ basis: Basis) throws -> Bool {
        guard engine.keyAllocator.areValid(basis.keys) else { return false }
        if sequence == basis.head.next { return true }
        let keys = basis.versions.map(\.key) + basis.present
        try loadRows(keys)
        for (key, version) in basis.versions where try snapshot(key)?.version != version { return false }
        for key in basis.present where try snapshot(key) == nil { return false }
        return try basis.lookups.allSatisfy { lookup in
            let found = try reader.keys(of: lookup.entity, slots: lookup.slots, values: lookup.values)
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

    /// Whether the log has this very record: see `SegmentLog.holds(_:at:)`.
    func holds(_ link: ChainValue, at sequence: SequenceNumber) throws -> Bool? {
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
    func commit(after append: () throws -> SequenceNumber) throws -> SequenceNumber {
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
