import FirnLog
import FirnModel
import FirnProjection
import Foundation
import Synchronization

/// The machine of one store: its log, its projection and its row cache.
///
/// A save runs through `write`: everything between the writer lock and the acknowledgement. The log is written before
/// the projection is committed, so the tables never hold anything that the log does not:
///
///     lock → catch up with other processes → body makes the change set → rows into the open transaction
///          → append → sync → commit → caches → unlock → acknowledge
///
/// While other threads wait for the lock, the sync comes after the unlock, so that saves that wait together share
/// one:
///
///     … → append → commit → caches → unlock → sync → acknowledge
///
/// The tables may then hold, for as long as a sync lasts, what the power could still take from the log. They remember
/// which record that was (`LogMark`): opening finds it gone and builds them anew.
///
/// Thread-safe: writing is serialized by the log's writer lock, reading goes through connections of its own.
final class StoreEngine: TableBackend, @unchecked Sendable {
    let log: SegmentLog
    let projection: Projection
    let schema: StoreSchema
    /// What a save computes.
    let derivations: DerivationPlan
    let rowCache = RowCache()
    /// The record of the model in whose terms this engine writes.
    let modelSequence: SequenceNumber
    let clock: @Sendable () -> Int64
    /// The last record whose effect the row cache has, and that followers were told of.
    private let observed: Mutex<SequenceNumber>
    /// Whether the tables were committed without knowing that their last record is durable.
    private let marksLag = Atomic(false)
    /// How often the tables were read.
    let readCount = Atomic(0)
    /// The versions of all rows, by the record that began their epoch.
    let temporals = Mutex<[SequenceNumber: TemporalProjection]>([:])
    /// Called, outside every lock, with records that other writers appended.
    let onForeignRecords: Mutex<(@Sendable ([LogRecord]) -> Void)?> = Mutex(nil)
    /// Called, outside every lock, when others wrote more than can be told: anything may have changed.
    let onLostTrack: Mutex<(@Sendable () -> Void)?> = Mutex(nil)
    private let lostTrack = Atomic(false)

    init(
        log: SegmentLog, projection: Projection, schema: StoreSchema, modelSequence: SequenceNumber,
        clock: @escaping @Sendable () -> Int64 = SystemClock.microseconds
    ) {
        self.log = log
        self.projection = projection
        self.schema = schema
        derivations = DerivationPlan(schema.entities)
        self.modelSequence = modelSequence
        self.clock = clock
        observed = Mutex(projection.checkpoint)
    }

    var externalValues: ExternalValues? { log.externalValues }

    /// What keeps large values out of rows; nil where rows keep them: in memory.
    var largeValues: LargeValues? {
        if case .file = projection.location { externalValues.map { LargeValues($0) } } else { nil }
    }

    var observedSequence: SequenceNumber { observed.withLock { $0 } }

    /// Says that caches and followers need not be told of records up to this one.
    func observe(_ sequence: SequenceNumber) { observed.withLock { $0 = max($0, sequence) } }

    func read<R>(_ body: (ProjectionReader) throws -> R) throws -> R {
        readCount.add(1, ordering: .relaxed)
        return try projection.read(body)
    }

    func header(for context: NSManagedObjectContext) -> TransactionHeader {
        TransactionHeader(
            date: clock(), id: .random(), author: context.transactionAuthor, contextName: context.name,
            processName: ProcessInfo.processInfo.processName,
            processID: ProcessInfo.processInfo.processIdentifier,
            bundleID: Bundle.main.bundleIdentifier, metadata: context.transactionMetadata)
    }

    /// Makes and writes one change set. Returns whether there was one.
    ///
    /// `body` runs under the writer lock and may read through the session; `committed` runs under it too, after the
    /// tables have the change set, and `acknowledged` without it, once the change set is as durable as the store
    /// promises. An error before the append leaves log and tables as they were; a failed sync leaves it open whether
    /// the change set survives, and nothing more can be saved before the store is opened again.
    func write(
        _ header: TransactionHeader, _ body: (WriteSession) throws -> ChangeSet?,
        committed: (SequenceNumber, ChangeSet) -> Void, acknowledged: () -> Void
    ) throws -> Bool {
        var foreign: [LogRecord] = []
        defer {
            followErasures(foreign)
            tell(foreign)
        }
        let pending: SequenceNumber? = try log.withWriterLock { writer in
            // Again after another machine was faster, with what it wrote.
            foreign += try catchUp()
            try projection.begin(head: writer.head)
            let sequence: SequenceNumber
            let changeSet: ChangeSet
            do {
                let session = WriteSession(engine: self, sequence: writer.head.next, foreign: foreign)
                guard let made = try body(session) else {
                    projection.rollback()
                    return nil
                }
                changeSet = made
                let next = writer.head.next
                sequence = try writer.append(.changes(made), header: header) {
                    try projection.apply(made, at: next)
                }
                let isShared = log.isWriterAwaited
                marksLag.store(isShared, ordering: .relaxed)
                if !isShared { try log.acknowledge(through: sequence) }
            } catch {
                projection.rollback()
                throw error
            }
            commitProjection()
            observed.withLock { $0 = sequence }
            committed(sequence, changeSet)
            return sequence
        }
        guard let pending else { return false }
        do {
            // At once, unless others waited.
            try log.acknowledge(through: pending)
        } catch {
            rowCache.removeAll()
            throw error
        }
        acknowledged()
        improveDictionary()
        return true
    }

    /// Beside the saves: training takes half a second. A failure changes nothing, or shows itself to whoever saves
    /// next.
    private func improveDictionary() {
        guard log.beginDictionaryTrial() else { return }
        DispatchQueue.global(qos: .utility).async { [log] in _ = try? log.improveDictionary() }
    }

    /// Gives primary keys away without an object being saved. They are logged, so that they are never given again.
    func reserveKeys(_ header: TransactionHeader, counts: [EntityNumber: Int]) throws -> [EntityNumber: Range<Int64>] {
        try log.withWriterLock { writer in
            _ = try catchUp()
            try projection.begin()
            do {
                var ranges: [EntityNumber: Range<Int64>] = [:]
                var last: [EntityNumber: Int64] = [:]
                for (root, count) in counts where count > 0 {
                    let range = projection.nextPrimaryKeys(root: root, count: count)
                    ranges[root] = range
                    last[root] = range.upperBound - 1
                }
                let body = LogRecord.Body.reservation(last)
                try projection.apply(
                    LogRecord(sequence: writer.head.next, header: header, body: body))
                let sequence = try writer.append(body, header: header)
                try log.acknowledge(through: sequence)
                commitProjection()
                observed.withLock { $0 = sequence }
                return ranges
            } catch {
                projection.rollback()
                throw error
            }
        }
    }

    /// The log has the change set: if the tables cannot take it now, they are behind and catch up before the next
    /// use.
    private func commitProjection() {
        try? projection.commit(log.mark)
    }

    /// Applies what the tables miss, and forgets cached rows that others changed. The caller holds the writer lock.
    /// Returns the records that this engine had not seen.
    private func catchUp() throws -> [LogRecord] {
        let seen = observedSequence
        try refuseMigrated()
        guard log.head > min(seen, projection.checkpoint) else { return [] }
        if projection.checkpoint < log.baseline { return try startAnew() }
        var foreign: [LogRecord] = []
        try projection.begin()
        do {
            // Whoever wrote the records has applied them too, unless it was stopped in between.
            let applied = projection.appliedInTransaction
            // Of what was cut off, rows and followers can be told only that it is gone.
            let first = log.baseline
            if seen < first { loseTrack() }
            let reader = try log.records(after: max(first, min(seen, applied)))
            while let record = try reader.next() {
                if record.sequence > applied { try apply(record) }
                if record.sequence > seen {
                    forget(record)
                    foreign.append(record)
                }
            }
        } catch {
            projection.rollback()
            throw error
        }
        try projection.commit(log.mark)
        observed.withLock { $0 = max($0, log.head) }
        return foreign
    }

    /// What the tables miss was cut off: a copy of a shared log went on with its baseline. Nobody can be told what
    /// happened in between.
    private func startAnew() throws -> [LogRecord] {
        try projection.rebuild(mark: log.mark) { apply in
            let replay = try log.replay()
            while let record = try replay.next() { try apply(record) }
        }
        forgetPast()
        loseTrack()
        observed.withLock { $0 = max($0, log.head) }
        return []
    }

    /// Another program may have migrated the store to a model whose terms are not this engine's.
    private func refuseMigrated() throws {
        guard let current = try log.currentModel, current.sequence > modelSequence,
            try !epochKeeps(from: current.sequence)
        else { return }
        throw ProjectionError(
            .migrated, "the store was migrated to another model by record \(current.sequence); open it again with that "
                + "model", path: projection.location.path)
    }

    private func epochKeeps(from sequence: SequenceNumber) throws -> Bool {
        var current = sequence
        while current > modelSequence, let migration = try log.model(at: current).migration {
            if !migration.keepsTerms { return false }
            current = migration.source
        }
        return true
    }

    /// Runs `body` while nobody else may write, with tables that are at the log's head.
    func exclusively<R>(_ body: (LogWriter) throws -> R) throws -> R {
        try log.withWriterLock { writer in
            _ = try catchUp()
            return try body(writer)
        }
    }

    /// Applies a record that may be in the terms of a model older than this engine's.
    private func apply(_ record: LogRecord) throws {
        if case .changes(let changeSet) = record.body, changeSet.model != modelSequence {
            try projection.remember(log.model(at: changeSet.model), at: changeSet.model)
        }
        try projection.apply(record)
    }

    /// Looks for records of other writers, brings tables and caches up to date, and tells whoever asked.
    func refresh() throws {
        guard try log.refresh() > observedSequence || projection.checkpoint < log.head else { return }
        let records = try log.withWriterLock { _ in try catchUp() }
        followErasures(records)
        tell(records)
    }

    private func loseTrack() {
        rowCache.removeAll()
        lostTrack.store(true, ordering: .relaxed)
    }

    private func tell(_ records: [LogRecord]) {
        if lostTrack.exchange(false, ordering: .relaxed) { onLostTrack.withLock { $0 }?() }
        if !records.isEmpty { onForeignRecords.withLock { $0 }?(records) }
    }

    private func forget(_ record: LogRecord) {
        if case .erasure = record.body { forgetAll() }
        guard case .changes(let changeSet) = record.body else { return }
        for group in changeSet.groups where group.operation != .insert {
            rowCache.remove(group.primaryKeys, entity: group.entity)
        }
    }

    /// Gives the log up; its files and those of the tables are closed with the last reference.
    func close() {
        if marksLag.load(ordering: .relaxed) { try? tellDurable() }
        log.close()
    }

    /// Tells the tables which records are durable, so that damage to the last ones is not taken for a torn write.
    private func tellDurable() throws {
        try log.withWriterLock { _ in
            _ = try catchUp()
            try projection.begin()
            try projection.commit(log.mark)
        }
    }
}

/// What a save may ask while it holds the writer lock.
final class WriteSession: RowLookup {
    private let engine: StoreEngine
    private let foreign: [LogRecord]
    /// The sequence number that the change set will get.
    let sequence: SequenceNumber
    /// Objects without a row that the save will write again.
    var revived: Set<ObjectKey> = []

    /// `foreign` are the records that other writers appended since this engine last looked.
    init(engine: StoreEngine, sequence: SequenceNumber, foreign: [LogRecord]) {
        self.engine = engine
        self.sequence = sequence
        self.foreign = foreign
    }

    /// Whether a row was changed by a save of which this engine hears only now.
    func isForeign(_ key: ObjectKey) -> Bool {
        foreign.contains { record in
            guard case .changes(let changeSet) = record.body else { return false }
            return changeSet.groups.contains { $0.entity == key.entity && $0.primaryKeys.contains(key.primaryKey) }
        }
    }

    var schema: StoreSchema { engine.schema }

    /// The row as it is now, whoever wrote it last.
    func snapshot(_ key: ObjectKey) throws -> Snapshot? {
        if let cached = engine.rowCache.snapshot(key) { return cached }
        let epoch = engine.rowCache.epoch
        guard let (batch, row) = try engine.projection.transactionReader.row(key) else { return nil }
        engine.rowCache.insert(read: batch, epoch: epoch)
        return Snapshot(batch: batch, row: row)
    }

    /// Reads the tables as they are before the change set.
    var reader: ProjectionReader { engine.projection.transactionReader }

    /// A link of the group's relationship as it is now, with its positions.
    func link(_ group: LinkGroup, _ link: Link) throws -> Link? {
        try engine.projection.transactionReader.link(link, of: group)
    }

    func nextPrimaryKeys(root: EntityNumber, count: Int) -> Range<Int64> {
        engine.projection.nextPrimaryKeys(root: root, count: count)
    }

    /// The keys of rows whose properties have these values: for uniqueness constraints.
    func keys(entity: EntityNumber, slots: [Int], values: [PropertyValue]) throws -> [ObjectKey] {
        try engine.projection.transactionReader.keys(of: entity, slots: slots, values: values)
    }
}

enum SystemClock {
    /// Microseconds since 1970-01-01 00:00 UTC.
    static func microseconds() -> Int64 { Int64((Date().timeIntervalSince1970 * 1e6).rounded()) }
}
