#if Server
import FirnInspection
import FirnLog
import FirnModel
import FirnProjection
import Foundation
import Synchronization

/// Reads a store's objects, as they are and as they were.
///
///     now     the store's own tables, if they hold the last record; else the versions
///     then    the versions of all rows, in a file of the service's own, which catches up with the log when it is read
final class TableReader: Sendable {
    /// A state of the store, in the terms of the model that was in force.
    struct State {
        let reader: ProjectionReader
        let schema: StoreSchema
        let sequence: SequenceNumber
    }

    private struct Open: Sendable {
        var projection: Projection
        var schema: StoreSchema
    }

    /// Rows in the terms of one model, from the record that began it until it was replaced.
    private struct Epoch {
        var start: SequenceNumber
        var model: SequenceNumber
    }

    /// Saves reach the store's tables within milliseconds; so long is waited for them.
    private static let tablesTimeout = Duration.milliseconds(50)
    private static let pollInterval = 0.002

    private let store: ServedStore
    /// Where the versions are, in a folder of this process.
    private let folder: URL
    private let present = Mutex<Open?>(nil)
    private let versions = Mutex<[SequenceNumber: TemporalProjection]>([:])

    init(_ store: ServedStore) {
        self.store = store
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("firn-serve-\(UUID().uuidString)")
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Removes the files. To be called when the program ends.
    func removeFiles() { try? FileManager.default.removeItem(at: folder) }

    /// Calls `body` with the state after a record; by default with the newest.
    func read<R>(at sequence: SequenceNumber?, _ body: (State) throws -> R) throws -> R {
        let head = try store.refresh()
        if sequence ?? head == head, let result = try readPresent(head, body) { return result }
        return try readPast(sequence ?? head, body)
    }

    /// Nil if the store's tables are missing, or do not hold the last record for a while.
    private func readPresent<R>(_ head: SequenceNumber, _ body: (State) throws -> R) throws -> R? {
        guard let open = try openPresent() else { return nil }
        let deadline = ContinuousClock.now + Self.tablesTimeout
        repeat {
            do {
                let result = try open.projection.readLatest { reader -> R? in
                    let checkpoint = try reader.checkpoint
                    guard checkpoint >= head else { return nil }
                    return try body(State(reader: reader, schema: open.schema, sequence: checkpoint))
                }
                if let result { return result }
            } catch is ProjectionError {
                // Rebuilt, migrated or removed: opened again by the next request.
                present.withLock { $0 = nil }
                return nil
            }
            Thread.sleep(forTimeInterval: Self.pollInterval)
        } while ContinuousClock.now < deadline
        return nil
    }

    private func openPresent() throws -> Open? {
        guard let (sequence, model) = try store.log.currentModel else { throw Self.noModel }
        if let open = present.withLock({ $0 }), open.projection.modelSequence == sequence { return open }
        let schema = try StoreSchema(model, name: "\(store.name), record \(sequence)")
        guard
            let (projection, state) = try? Projection.open(
                .file(store.path), schema: schema, storeID: store.log.storeID.uuidString, modelSequence: sequence,
                head: try store.refresh(), readOnly: true)
        else { return nil }
        if case .mustRebuild = state { return nil }
        let open = Open(projection: projection, schema: schema)
        present.withLock { $0 = open }
        return open
    }

    private static var noModel: RequestFailure {
        .notFound("the store has no model yet: nothing was saved to it", remedy: "ask again after the first save")
    }

    private func readPast<R>(_ sequence: SequenceNumber, _ body: (State) throws -> R) throws -> R {
        guard let epoch = try epoch(at: sequence) else { throw Self.noModel }
        let schema = try StoreSchema(
            store.log.model(at: epoch.model), name: "\(store.name), record \(epoch.model)")
        let temporal = try versions.withLock { known in
            let temporal = try known[epoch.start] ?? makeVersions(epoch, schema)
            known[epoch.start] = temporal
            if temporal.checkpoint < sequence { try catchUp(temporal, epoch) }
            return temporal
        }
        return try temporal.reader(at: sequence, copying: .never).read {
            try body(State(reader: $0, schema: schema, sequence: sequence))
        }
    }

    /// The terms in force after a record; nil before the first model.
    private func epoch(at sequence: SequenceNumber) throws -> Epoch? {
        guard let current = try store.log.currentModel?.sequence else { return nil }
        var epoch = Epoch(start: current, model: current)
        while let migration = try store.log.model(at: epoch.start).migration {
            if epoch.start <= sequence, !migration.keepsTerms { return epoch }
            if !migration.keepsTerms { epoch.model = migration.source }
            epoch.start = migration.source
        }
        return epoch.start <= sequence || epoch.start <= store.log.baseline ? epoch : nil
    }

    private func makeVersions(_ epoch: Epoch, _ schema: StoreSchema) throws -> TemporalProjection {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let path = folder.appendingPathComponent("versions-\(epoch.start).sqlite").path
        let temporal = try TemporalProjection(
            .file(path), schema: schema, storeID: store.log.storeID.uuidString, modelSequence: epoch.model)
        // An epoch that began with a migration begins with the rows that this left; a baseline has its rows itself.
        if epoch.start > store.log.baseline, try store.log.model(at: epoch.start).migration != nil {
            try begin(temporal, epoch)
        }
        return temporal
    }

    private func begin(_ temporal: TemporalProjection, _ epoch: Epoch) throws {
        let path = folder.appendingPathComponent("migrated-\(epoch.start).sqlite").path
        let schema = try StoreSchema(
            store.log.model(at: epoch.start), name: "\(store.name), record \(epoch.start)")
        let (base, _) = try Projection.open(
            .file(path), schema: schema, storeID: store.log.storeID.uuidString, modelSequence: epoch.start,
            head: epoch.start)
        try base.rebuild { apply in
            let reader = try store.log.replay()
            while reader.position < epoch.start, let record = try reader.next() { try apply(record) }
        }
        base.closeFile()
        try temporal.begin(with: path, at: epoch.start)
        Projection.remove(path)
    }

    /// Applies records up to the end, or to where an epoch ended that is over.
    private func catchUp(_ temporal: TemporalProjection, _ epoch: Epoch) throws {
        let isCurrent = epoch.model == store.log.currentModelSequence
        let end = isCurrent ? nil : try lastRecord(of: epoch)
        try temporal.catchUp { after, apply in
            let reader = try store.log.replay(after: after)
            while reader.position < end ?? SequenceNumber(.max), let record = try reader.next() {
                if case .changes(let changes) = record.body, changes.model != epoch.model {
                    temporal.remember(try store.log.model(at: changes.model), at: changes.model)
                }
                try apply(record)
            }
        }
    }

    /// The record before the migration that ended an epoch.
    private func lastRecord(of epoch: Epoch) throws -> SequenceNumber? {
        var next: SequenceNumber?
        var current = store.log.currentModelSequence
        while current > epoch.model {
            next = current
            guard let source = try store.log.model(at: current).migration?.source else { break }
            current = source
        }
        return next.map { SequenceNumber($0.rawValue - 1) }
    }
}
#endif
