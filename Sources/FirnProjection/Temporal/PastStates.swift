internal import Foundation
package import FirnLog
internal import Synchronization

/// The past states of one store, by the versions of all its rows: one temporal projection for each epoch, which is
/// built from the log when it is first read.
///
///     read ──► has the log lost anything since? ──► yes: the versions are discarded, with their files
///                                               ──► catch up with the log, read
///
/// The log loses records by a trim, and values by an erasure, of any process. Nothing of them is read here then.
package final class PastStates: Sendable {
    /// A run of records in the terms of one model.
    package struct Epoch: Sendable {
        /// The record that began it: the store's first model, or a migration.
        package var start: SequenceNumber
        /// The last model in it.
        package var model: SequenceNumber
    }

    private struct Versions {
        var temporal: TemporalProjection
        var schema: StoreSchema
    }

    private struct State {
        var erasureCount = 0
        var baseline = SequenceNumber.zero
        /// By the record that began their epoch.
        var versions: [SequenceNumber: Versions] = [:]
        /// The values derived from the versions.
        var readers: [Reader] = []
    }

    private struct Reader {
        weak var reader: AsOfProjection?
    }

    private let log: SegmentLog
    private let location: ProjectionLocation
    private let state = Mutex(State())

    /// - Parameter location: where the tables of the present are, if versions may be in files next to them; else where
    ///   all versions are.
    package init(_ log: SegmentLog, _ location: ProjectionLocation) {
        self.log = log
        self.location = location
    }

    /// The state after a record, in the terms that were in force then.
    ///
    /// - Parameters:
    ///   - current: the model whose records are caught up with to the end of the log.
    ///   - schema: of the model that a record carries.
    package func reader(
        at sequence: SequenceNumber, current: SequenceNumber, copying: AsOfProjection.Copying = .whenWorthwhile,
        schema: @escaping @Sendable (SequenceNumber) throws -> StoreSchema
    ) throws -> (AsOfProjection, StoreSchema) {
        let epoch = try Self.epoch(at: sequence, before: current, in: log)
        let find = { @Sendable in try self.versions(epoch, through: sequence, current, schema) }
        let schema = try find().schema
        let reader = AsOfProjection(sequence, copying) { try find().temporal }
        state.withLock { state in
            state.readers.removeAll { $0.reader == nil }
            state.readers.append(Reader(reader: reader))
        }
        return (reader, schema)
    }

    /// The terms in force after a record, as far as the model of record `current`.
    package static func epoch(
        at sequence: SequenceNumber, before current: SequenceNumber, in log: SegmentLog
    ) throws -> Epoch {
        var epoch = Epoch(start: current, model: current)
        while let migration = try log.model(at: epoch.start).migration {
            if epoch.start <= sequence, !migration.keepsTerms { return epoch }
            if !migration.keepsTerms { epoch.model = migration.source }
            epoch.start = migration.source
        }
        return epoch
    }

    private func versions(
        _ epoch: Epoch, through sequence: SequenceNumber, _ current: SequenceNumber,
        _ schema: (SequenceNumber) throws -> StoreSchema
    ) throws -> Versions {
        do {
            return try knownVersions(epoch, through: sequence, current, schema)
        } catch let error as LogError where error.code == .missing {
            // Another process trimmed the log meanwhile, which it knows now.
            return try knownVersions(epoch, through: sequence, current, schema)
        }
    }

    private func knownVersions(
        _ epoch: Epoch, through sequence: SequenceNumber, _ current: SequenceNumber,
        _ schema: (SequenceNumber) throws -> StoreSchema
    ) throws -> Versions {
        try log.refresh()
        return try state.withLock { state in
            let (erasureCount, baseline) = (log.erasuresMet, log.baseline)
            if state.erasureCount != erasureCount || state.baseline != baseline {
                discard(&state)
                (state.erasureCount, state.baseline) = (erasureCount, baseline)
            }
            guard sequence >= baseline else {
                throw LogError(
                    .missing, "The records up to \(baseline) were trimmed.", path: log.directory, sequence: sequence,
                    expected: "\(baseline) or later", found: "\(sequence)")
            }
            let known = state.versions[epoch.start].flatMap { $0.temporal.isReplaced ? nil : $0 }
            let versions = try known ?? makeVersions(epoch, current, schema(epoch.model))
            state.versions[epoch.start] = versions
            if versions.temporal.checkpoint < sequence {
                try catchUp(versions.temporal, epoch, through: epoch.model == current ? nil : sequence)
            }
            return versions
        }
    }

    private func makeVersions(
        _ epoch: Epoch, _ current: SequenceNumber, _ schema: StoreSchema
    ) throws -> Versions {
        var place = location
        if case .file(let path) = location {
            place = .file(path + (epoch.model == current ? Self.suffix : "\(Self.suffix)-\(epoch.start)"))
        }
        let temporal = try TemporalProjection(
            place, schema: schema, storeID: log.storeID.uuidString, modelSequence: epoch.model)
        // A baseline has the rows of its epoch itself.
        if temporal.checkpoint == .zero, epoch.start > log.baseline,
            try log.model(at: epoch.start).migration != nil
        {
            try begin(temporal, epoch, schema)
        }
        return Versions(temporal: temporal, schema: schema)
    }

    /// An epoch that began with a migration begins with the rows that this left.
    private func begin(_ temporal: TemporalProjection, _ epoch: Epoch, _ schema: StoreSchema) throws {
        let (base, _) = try Projection.open(
            location.path == nil ? location : .temporary, schema: schema, storeID: log.storeID.uuidString,
            modelSequence: epoch.start, head: epoch.start)
        try base.rebuild { apply in
            let reader = try log.replay()
            while reader.position < epoch.start, let record = try reader.next() { try apply(record) }
        }
        let header = TransactionHeader(date: 0, id: TransactionID(high: 0, low: 0))
        try temporal.catchUp { after, apply in
            // Another process may have begun it meanwhile.
            guard after == .zero else { return }
            try base.read { reader in
                try reader.baseline(model: epoch.start) {
                    try apply(LogRecord(sequence: epoch.start, header: header, body: .baseline($0)))
                }
            }
        }
    }

    /// Applies records up to the end, or to where an epoch ended that is over.
    private func catchUp(_ temporal: TemporalProjection, _ epoch: Epoch, through end: SequenceNumber?) throws {
        try temporal.catchUp { after, apply in
            let reader = try log.replay(after: after)
            while reader.position < end ?? SequenceNumber(.max), let record = try reader.next() {
                if case .changes(let changes) = record.body, changes.model != epoch.model {
                    temporal.remember(try log.model(at: changes.model), at: changes.model)
                }
                try apply(record)
            }
        }
    }

    /// Discards the versions, with their files. They are built again from what the log then has.
    package func discard() { state.withLock { discard(&$0) } }

    private func discard(_ state: inout State) {
        state.versions = [:]
        for reader in state.readers { reader.reader?.discard() }
        guard case .file(let path) = location else { return }
        let url = URL(fileURLWithPath: path)
        let prefix = url.lastPathComponent + Self.suffix
        let folder = url.deletingLastPathComponent()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names where name.hasPrefix(prefix) {
            Projection.remove(folder.appendingPathComponent(name).path)
        }
    }

    private static let suffix = "-asof"
}
