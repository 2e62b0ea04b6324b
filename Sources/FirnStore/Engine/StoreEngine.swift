package import FirnLog
import FirnModel
package import FirnProjection
import Foundation
import Synchronization

/// The machine of one store: its log, its projection and its row cache.
///
/// A save makes a `Transaction` from what a `TransactionReader` gives it, has it prepared, and calls `commit`. The
/// tables are left to the `Projector`:
///
///     prepare → lock → catch up with other programs → does it stand? → append → publish → unlock → sync
///
/// What the store computes itself (batches, derived attributes, large values in files) it computes before the lock, and
/// again with it only if the tables that it read were written in between (`PreparedTransaction`).
///
/// Transactions that wait together share the lock, the write and the sync (`PendingCommits`). The tables may hold, for
/// as long as a sync lasts, what the power could still take from the log. They remember which record that was
/// (`LogMark`): opening finds it gone and rebuilds them. With a shared log the write is a server's answer.
///
/// Thread-safe: writing is serialized by the log's writer lock, reading goes through connections of its own.
package final class StoreEngine: @unchecked Sendable {
    package let log: SegmentLog
    /// The log as this machine's copy of a shared one; nil if it is no copy.
    package let copy: SharedCopy?
    let maintenance: LogMaintenance
    package let projection: Projection
    let projector: Projector
    package let schema: StoreSchema
    /// The derived values that a save computes.
    let derivations: DerivationPlan
    package var hasDerivations: Bool { !derivations.isEmpty }
    /// Whether rows may refer to values in files of their own.
    let hasLargeValues: Bool
    package let rowCache: RowCache
    /// The record of the model in whose terms this engine writes.
    package let modelSequence: SequenceNumber
    /// The last record that a fork has of its original; nil for a store that is no fork.
    package let forkPoint: SequenceNumber?
    package let clock: @Sendable () -> Int64
    /// The last record whose effect the row cache has, and that followers were told of.
    private let observed: Mutex<SequenceNumber>
    package let keyAllocator: PrimaryKeyAllocator
    /// How many of the next saves expect that another program writes too.
    private let remoteWrites = Atomic(0)
    /// The tables that were written lately. Guarded by the writer's lock.
    var tableVersions: TableVersions
    let pending = Mutex(PendingCommits())
    /// How often the tables were read.
    private let readCounter = Atomic(0)
    package var readCount: Int { readCounter.load(ordering: .relaxed) }
    let past: PastStates
    /// The updates of the history tables, if the store's options ask for that.
    let history: HistoryUpdates?
    package let feed: StoreFeed

    init(
        log: SegmentLog, projection: Projection, schema: StoreSchema, modelSequence: SequenceNumber,
        isShared: Bool = true, options: EngineOptions = EngineOptions(), forkPoint: SequenceNumber? = nil,
        clock: @escaping @Sendable () -> Int64 = SystemClock.now
    ) {
        self.log = log
        copy = log as? SharedCopy
        maintenance = LogMaintenance(log)
        feed = StoreFeed(log)
        self.projection = projection
        // Who may only read leaves no file next to the store.
        let isInFile = projection.location.path != nil
        past = PastStates(
            log, isInFile && projection.isReadOnly ? .temporary : projection.location,
            isKept: options.historyTables != .never,
            model: PastStates.Model(sequence: modelSequence, schema: schema))
        rowCache = RowCache(sizeMax: options.rowCacheSize)
        let keepsHistory = options.historyTables == .always && isInFile && !projection.isReadOnly
        history = keepsHistory ? HistoryUpdates() : nil
        projector = Projector(
            log: log, projection: projection, modelSequence: modelSequence, isShared: isShared, history: history)
        keyAllocator = PrimaryKeyAllocator(layout: schema.layout)
        self.schema = schema
        externalValues = log.externalValues
        largeValues = LargeValues(externalValues, inMemory: !isInFile)
        derivations = DerivationPlan(schema.entities)
        hasLargeValues = schema.entities.contains { $0.layout.slots.contains { $0.storage == .blob } }
        tableVersions = TableVersions(projection.checkpoint)
        self.modelSequence = modelSequence
        closedTables = ClosedTables(logDirectory: log.directory)
        self.forkPoint = forkPoint
        self.clock = clock
        observed = Mutex(projection.checkpoint)
        history?.setUpdate { [weak self] in try self?.updateHistory() }
    }

    /// The note in the log's folder about tables that were closed.
    private let closedTables: ClosedTables

    package let externalValues: ExternalValues

    /// Puts large values of a save into these files.
    package let largeValues: LargeValues

    package var observedSequence: SequenceNumber { observed.withLock { $0 } }
    package var observedPosition: LogPosition { log.position(of: observedSequence) }

    /// The last record that everybody who reads sees: its rows are in the cache or in the tables.
    var readableSequence: SequenceNumber {
        let head = observedSequence
        guard let appending = projector.appendingSequence, appending <= head else { return head }
        return SequenceNumber(appending.rawValue - 1)
    }

    /// Says that caches and followers need not be told of records up to this one. The row cache has them: a save that
    /// begins now reads from it.
    package func observe(_ sequence: SequenceNumber) {
        observed.withLock { $0 = max($0, sequence) }
        feed.notify(.growth)
    }

    /// Has the feed wait for what others write, instead of hearing of it with the next save or read.
    package func watch(_ source: StoreFeed.Source = .folder) {
        feed.watch(source, after: observedSequence) { [weak self] in try self?.refresh() }
    }

    package func read<R>(_ body: (ProjectionReader) throws -> R) throws -> R {
        readCounter.add(1, ordering: .relaxed)
        do {
            try catchUpTables()
            return try projection.read(body)
        } catch {
            throw StoreError.reading(error, path: projection.location.path)
        }
    }

    /// Gives primary keys away without an object being saved. They are logged, so that they are never given again.
    package func reserveKeys(
        _ header: TransactionHeader, counts: [EntityNumber: Int]
    ) throws -> [EntityNumber: Range<Int64>] {
        let ranges = try exclusively { _ in
            if !keyAllocator.isKnown { try read { try loadKeys($0) } }
            var ranges: [EntityNumber: Range<Int64>] = [:]
            for (root, count) in counts where count > 0 {
                ranges[root] = try keyAllocator.reserve(count, in: root).keys
            }
            let sequence = try log.append(.reservation(ranges.mapValues { $0.upperBound - 1 }), header: header)
            if !projector.isDeferring { try projector.apply() }
            observe(sequence)
            return ranges
        }
        try log.acknowledge(through: observedSequence)
        return ranges
    }

    /// Applies what others wrote, and forgets cached rows that they changed. The caller holds the writer lock. Returns
    /// the records that this engine had not seen.
    package func catchUp() throws -> [LogRecord] {
        try refuseMigrated()
        guard log.head > observedSequence else { return [] }
        return try retryingAfterTrim {
            if try projection.storedCheckpoint() < log.baseline { return try rebuildAfterTrim() }
            if projection.checkpoint < log.head { try projector.apply() }
            return try followRecords(through: log.head)
        }
    }

    /// Another program wrote a record, which the tables have. The caller holds the writer's lock, or keeps the other
    /// threads of this program from writing.
    func accept(_ record: LogRecord) {
        keyAllocator.apply(record)
        evict(record)
    }

    func expectRemoteWrites() { remoteWrites.store(Self.remoteWritesMax, ordering: .relaxed) }

    /// After another program wrote, this many saves look first whether it did again.
    private static let remoteWritesMax = 64

    /// Before a save gives keys to new objects: lets those be known that other programs gave, if any are about. What is
    /// missed is a conflict later. Not for a copy of a shared log, whose queue this would wait for.
    package func refreshForKeys() throws {
        guard copy == nil, remoteWrites.load(ordering: .relaxed) > 0 else { return }
        remoteWrites.subtract(1, ordering: .relaxed)
        try refresh()
    }

    /// Rebuilds the tables after a trim cut off records that they miss: a copy of a shared log went on with its
    /// baseline. Nobody can be told what happened in between.
    private func rebuildAfterTrim() throws -> [LogRecord] {
        try projection.rebuild(from: log)
        projector.discard(through: log.head)
        past.discard()
        reportHistoryGap()
        observe(log.head)
        return []
    }

    /// Another program may have migrated the store to a model whose terms are not this engine's.
    ///
    /// - Parameter model: the record with the model that is in question; nil for the last one.
    package func refuseMigrated(to model: SequenceNumber? = nil) throws {
        let current = model ?? log.currentModelSequence
        guard current > modelSequence, try !log.migrations(from: modelSequence, to: current).isEmpty else { return }
        throw ProjectionError(
            .migrated, "the store was migrated to another model by record \(current); open it again with that "
                + "model", path: projection.location.path)
    }

    /// Runs `body` while nobody else may write, in this program or another, with tables that are at the log's head.
    /// `body` gets the records of other writers that the store had not seen before, and is run again if another machine
    /// was faster.
    package func exclusively<R>(_ body: ([LogRecord]) throws -> R) throws -> R {
        var remote: [LogRecord] = []
        defer { followErasures(remote) }
        return try log.exclusively {
            remote += try catchUp()
            if projection.checkpoint < log.head { try projector.apply() }
            return try body(remote)
        }
    }

    /// Looks for records of other writers, brings tables and caches up to date, and tells the feed.
    ///
    /// The writer's lock is acquired only for a copy of a shared log, and where the tables stay behind: they have to be
    /// rebuilt, or another program does not end its transaction. A store that is opened for reading never acquires it.
    package func refresh() throws {
        let head = try log.refresh()
        guard head > observedSequence else { return }
        var remote: [LogRecord] = []
        defer { followErasures(remote) }
        if copy == nil { remote = try follow() }
        guard observedSequence < head, log.isWritable else { return }
        remote += try log.exclusively { try catchUp() }
    }

    /// The tables get what was acknowledged, so that it can be read.
    private func catchUpTables() throws {
        do {
            try retryingAfterTrim { try projector.catchUp() }
        } catch let error as ProjectionError where error.code == .gap {
            // The thread that has the lock caught up when it began.
            if log.isWriting { throw error }
            // Without the right to write the tables are this program's own.
            guard log.isWritable else { return try log.withoutLocalWriters { _ = try rebuildAfterTrim() } }
            followErasures(try log.exclusively { try catchUp() })
        }
    }

    /// Records that nobody here saw were cut off. The caller holds the writer's lock, or keeps the other threads of
    /// this program from writing.
    func reportHistoryGap() {
        tableVersions.invalidate(log.head)
        keyAllocator.invalidate()
        rowCache.removeAll()
        feed.notify(.gap)
    }

    private func evict(_ record: LogRecord) {
        if case .erasure = record.body { invalidateCaches() }
        guard case .changes(let changeSet) = record.body else { return tableVersions.invalidate(record.sequence) }
        if changeSet.model == modelSequence {
            tableVersions.apply(changeSet, at: record.sequence)
        } else {
            tableVersions.invalidate(record.sequence)
        }
        for group in changeSet.groups where group.operation != .insert {
            rowCache.remove(group.primaryKeys, entity: group.entity)
        }
    }

    /// Gives the log and the tables up. The tables' files are closed when this returns, so that the store can be opened
    /// again, moved or removed at once.
    package func close() {
        feed.end()
        closeCommits()
        projector.close()
        history?.finish()
        if case .file(let path) = projection.location {
            projection.closeFile()
            if !projection.isReadOnly, log.isWritable { closedTables.record(projection.checkpoint, of: path) }
        }
        log.close()
    }

    deinit {
        feed.end()
        closeCommits()
    }
}
