package import FirnLog
internal import Synchronization

/// The past states of one store, by the versions of all its rows: one temporal projection for each epoch, which is
/// built from the log when it is first read.
///
///     read ──► has the log lost anything since? ──► yes: the versions are discarded, with their files
///                                               ──► catch up with the log, read
///
/// The log loses records by a trim, and values by an erasure, of any process. Nothing of what was erased is read here
/// then. Who reads a state that was cut off continues with the versions that it began with.
package final class PastStates: Sendable {
    /// A run of records in the terms of one model.
    package struct Epoch: Sendable {
        /// The record that began it: the store's first model, or a migration.
        package var start: SequenceNumber
        /// The last model in it.
        package var model: SequenceNumber
        /// The last record in it; nil for the current epoch.
        package var end: SequenceNumber?
    }

    /// A file with the history in the terms of one model, which other programs may read.
    package struct HistoryFile {
        package var path: String
        package var epoch: Epoch
        package var schema: StoreSchema
        /// The last record in it.
        package var checkpoint: SequenceNumber
    }

    package struct Versions {
        package var temporal: TemporalProjection
        package var schema: StoreSchema
    }

    private struct State {
        /// The number of erasures that the log had met when versions were first read.
        var erasureCount: Int?
        var baseline = SequenceNumber.zero
        /// By the record that began their epoch.
        var versions: [SequenceNumber: Versions] = [:]
        /// The values derived from the versions.
        var readers: [Reader] = []
    }

    private struct Reader {
        weak var reader: AsOfProjection?
    }

    /// A model, by the record that carries it.
    package struct Model: Sendable {
        package var sequence: SequenceNumber
        package var schema: StoreSchema

        package init(sequence: SequenceNumber, schema: StoreSchema) {
            self.sequence = sequence
            self.schema = schema
        }
    }

    package let log: SegmentLog
    /// The model of the tables of the present; nil for the last one of the log.
    private let model: Model?
    /// The place of the versions. Those of a file are in files next to it.
    private let location: ProjectionLocation
    private let files: PastFiles?
    private let hasWords: Bool
    private let progress: @Sendable (_ done: SequenceNumber, _ end: SequenceNumber) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - location: where the tables of the present are, if versions may be in files next to them; else where all
    ///     versions are. Where these files cannot be written, the versions are in files without a name.
    ///   - isKept: false if there shall be no files next to the tables. Those that are there are discarded with the
    ///     others.
    ///   - hasWords: whether files are made with an index of words at once, and not at the first search.
    ///   - model: the model whose records are caught up with to the end of the log; nil for its last one.
    ///   - progress: called for each record that is applied, with it and the last one.
    package init(
        _ log: SegmentLog, _ location: ProjectionLocation, isKept: Bool = true, hasWords: Bool = false,
        model: Model? = nil,
        progress: @escaping @Sendable (_ done: SequenceNumber, _ end: SequenceNumber) -> Void = { _, _ in }
    ) {
        self.progress = progress
        self.hasWords = hasWords
        self.log = log
        self.model = model
        let files = location.path.map(PastFiles.init)
        self.location = isKept && files?.areWritable ?? true ? location : .temporary
        self.files = files
    }

    /// The record with the model whose terms are those of the present.
    package var current: SequenceNumber {
        get throws {
            guard let current = try model?.sequence ?? log.currentModel?.sequence else {
                throw LogError(.missing, "The log has no model yet: nothing was saved.", path: log.directory)
            }
            return current
        }
    }

    private func schema(_ sequence: SequenceNumber) throws -> StoreSchema {
        if let model, model.sequence == sequence { return model.schema }
        return try StoreSchema(log.model(at: sequence), name: "\(log.directory), record \(sequence)")
    }

    /// The state after a record, in the terms that were in force then.
    package func reader(
        at sequence: SequenceNumber, copies: Bool = true
    ) throws -> (AsOfProjection, StoreSchema) {
        let epoch = try Self.epoch(at: sequence, before: current, in: log)
        let schema = try versions(epoch, through: sequence).schema
        let check = { @Sendable in
            try self.log.refresh()
            try self.state.withLock { try self.discardIfLost(&$0) }
        }
        let reader = AsOfProjection(sequence, copies: copies, check: check) {
            try self.versions(epoch, through: sequence).temporal
        }
        state.withLock { state in
            state.readers.removeAll { $0.reader == nil }
            state.readers.append(Reader(reader: reader))
        }
        try reader.loadVersions()
        return (reader, schema)
    }

    /// The terms in force after a record, as far as the model of record `current`.
    package static func epoch(
        at sequence: SequenceNumber, before current: SequenceNumber, in log: SegmentLog
    ) throws -> Epoch {
        var epoch = Epoch(start: current, model: current)
        while let migration = try log.model(at: epoch.start).migration {
            if epoch.start <= sequence, !migration.keepsTerms { return epoch }
            if !migration.keepsTerms {
                epoch.model = migration.source
                epoch.end = SequenceNumber(epoch.start.rawValue - 1)
            }
            epoch.start = migration.source
        }
        return epoch
    }

    /// The file with the history in the terms that were in force after a record, up to the last record in these terms.
    /// Versions must be in files.
    package func historyFile(at sequence: SequenceNumber) throws -> HistoryFile {
        let epoch = try Self.epoch(at: sequence, before: current, in: log)
        let versions = try versions(epoch, through: epoch.end ?? log.head, needsWords: true)
        guard let path = versions.temporal.location.path else {
            fatalError("ask for a history file only where versions are in files")
        }
        return HistoryFile(
            path: path, epoch: epoch, schema: versions.schema, checkpoint: versions.temporal.checkpoint)
    }

    /// Brings the versions up to a record.
    package func catchUp(through sequence: SequenceNumber) throws {
        _ = try versions(Self.epoch(at: sequence, before: current, in: log), through: sequence)
    }

    /// Runs `body` again where another process trimmed the log, or erased values from it.
    package func retrying<R>(_ body: () throws -> R) throws -> R { try ReplacedFile.retrying(body) }

    package func versions(
        _ epoch: Epoch, through sequence: SequenceNumber, needsWords: Bool = false
    ) throws -> Versions {
        try retrying { try knownVersions(epoch, through: sequence, needsWords || hasWords) }
    }

    private func knownVersions(
        _ epoch: Epoch, through sequence: SequenceNumber, _ needsWords: Bool
    ) throws -> Versions {
        try log.refresh()
        let isCurrent = try epoch.model == current
        return try state.withLock { state in
            try discardIfLost(&state)
            let baseline = state.baseline
            guard sequence >= baseline else {
                throw LogError(
                    .missing, "The records up to \(baseline) were trimmed; read a later point.",
                    path: log.directory, sequence: sequence,
                    expected: "\(baseline) or later", found: "\(sequence)")
            }
            let known = state.versions[epoch.start].flatMap { versions in
                versions.temporal.isReplaced || needsWords && !versions.temporal.hasWords ? nil : versions
            }
            let versions = try known ?? makeVersions(epoch, isCurrent, needsWords)
            state.versions[epoch.start] = versions
            guard versions.temporal.checkpoint < sequence else { return versions }
            try catchUp(versions.temporal, epoch, through: isCurrent ? nil : sequence)
            // Values were erased meanwhile: these versions are discarded, and made again.
            guard log.erasuresMet == state.erasureCount else { throw ReplacedFile() }
            return versions
        }
    }

    /// Discards the versions if the log lost records or values meanwhile. Files of before this process say themselves
    /// which baseline they were made from.
    private func discardIfLost(_ state: inout State) throws {
        let (erasureCount, baseline) = (log.erasuresMet, log.baseline)
        if state.erasureCount == nil {
            files?.removeOld(before: baseline.rawValue)
        } else if state.erasureCount != erasureCount {
            discard(&state)
        } else if state.baseline != baseline {
            discardVersions(&state)
        }
        (state.erasureCount, state.baseline) = (erasureCount, baseline)
    }

    private func makeVersions(_ epoch: Epoch, _ isCurrent: Bool, _ needsWords: Bool) throws -> Versions {
        let schema = try schema(epoch.model)
        var place = location
        if case .file = location, let files {
            place = .file(files.path(from: isCurrent ? nil : epoch.start.rawValue))
        }
        let temporal = try TemporalProjection(
            place, schema: schema, storeID: log.storeID.uuidString, modelSequence: epoch.model,
            baseline: log.baseline, needsWords: needsWords)
        // The file of a process that ended before it removed it may have erased values.
        if !temporal.isNew, try log.hasErasure(after: temporal.checkpoint) || isOfOtherRecords(temporal) {
            files?.remove()
            throw ReplacedFile()
        }
        // A baseline has the rows of its epoch itself.
        if temporal.checkpoint == .zero, epoch.start > log.baseline,
            try log.model(at: epoch.start).migration != nil
        {
            try begin(temporal, epoch, schema)
        }
        return Versions(temporal: temporal, schema: schema)
    }

    /// An epoch that began with a migration begins with the rows that this left. Their records are noted all the same.
    private func begin(_ temporal: TemporalProjection, _ epoch: Epoch, _ schema: StoreSchema) throws {
        let (base, _) = try Projection.open(
            location.path == nil ? location : .temporary, schema: schema, storeID: log.storeID.uuidString,
            modelSequence: epoch.start, head: epoch.start)
        let header = TransactionHeader(date: 0, id: TransactionID(high: 0, low: 0))
        try temporal.catchUp { after, apply in
            // Another process may have begun it meanwhile.
            guard after == .zero else { return }
            try base.rebuild(from: log, through: epoch.start, each: { record in
                try temporal.describe(record)
                progress(record.sequence, log.head)
            })
            try base.read { reader in
                try reader.baseline(model: epoch.start) {
                    try apply(LogRecord(sequence: epoch.start, header: header, body: .baseline($0)))
                }
            }
        }
    }

    /// Applies records up to the end, or to where an epoch ended that is over.
    private func catchUp(_ temporal: TemporalProjection, _ epoch: Epoch, through end: SequenceNumber?) throws {
        let last = end ?? log.head
        try temporal.catchUp { after, apply in
            let reader = try log.replay(after: after)
            while reader.position < end ?? SequenceNumber(.max), let record = try reader.next() {
                if case .changes(let changes) = record.body, changes.model != epoch.model {
                    temporal.remember(try log.model(at: changes.model), at: changes.model)
                }
                try apply(record)
                progress(record.sequence, last)
            }
        }
    }

    /// Whether a file has records that the log does not have: the store was put back from a backup without it.
    private func isOfOtherRecords(_ temporal: TemporalProjection) throws -> Bool {
        let last = temporal.checkpoint
        // After the checkpoint: another process may have brought the file further than this one's log.
        guard try last <= log.refresh() else { return true }
        guard last >= log.first, let date = try temporal.date(of: last) else { return false }
        return try Double(log.frame(at: last).date) / 1e6 != date
    }

    /// Discards the versions, with their files. They are built again from what the log then has.
    package func discard() { state.withLock { discard(&$0) } }

    private func discard(_ state: inout State) {
        for reader in state.readers { reader.reader?.discard() }
        discardVersions(&state)
    }

    /// Whether somebody reads a state that was cut off.
    package var hasTrimmedReaders: Bool {
        let baseline = log.baseline
        return state.withLock { $0.readers.contains { $0.reader.map { $0.sequence < baseline } ?? false } }
    }

    /// Discards the versions after a trim, with their files. Who reads keeps them.
    package func discardTrimmed() { state.withLock { discardVersions(&$0) } }

    private func discardVersions(_ state: inout State) {
        state.versions = [:]
        files?.remove()
    }
}
