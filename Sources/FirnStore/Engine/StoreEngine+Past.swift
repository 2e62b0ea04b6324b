package import FirnLog
import FirnModel
package import FirnProjection
import Foundation
import Synchronization

extension StoreEngine {
    /// The state after a record, which must not have been cut off, in the terms of the model that was in force then.
    ///
    /// The first use in an epoch builds the versions of all its rows from the log, in a file of their own; later ones
    /// catch up.
    package func past(at sequence: SequenceNumber) throws -> (AsOfProjection, StoreSchema) {
        let epoch = try epoch(at: sequence)
        let schema = try epoch.model == modelSequence ? schema : oldSchema(at: epoch.model)
        return try temporals.withLock { known in
            let temporal = try known[epoch.start] ?? makeTemporal(epoch, schema)
            known[epoch.start] = temporal
            if temporal.checkpoint < sequence {
                try catchUp(temporal, through: epoch.model == modelSequence ? nil : sequence)
            }
            return (temporal.reader(at: sequence), schema)
        }
    }

    /// The model that a record carries, with the store's numbers.
    func oldSchema(at sequence: SequenceNumber) throws -> StoreSchema {
        try StoreSchema(log.model(at: sequence), name: "\(log.directory), record \(sequence)")
    }

    /// Applies records up to the end, or to where an epoch ended that is over.
    private func catchUp(_ temporal: TemporalProjection, through end: SequenceNumber?) throws {
        try temporal.catchUp { after, apply in
            let reader = try log.replay(after: after)
            while reader.position < end ?? SequenceNumber(.max), let record = try reader.next() {
                if case .changes(let changes) = record.body, changes.model != modelSequence {
                    temporal.remember(try log.model(at: changes.model), at: changes.model)
                }
                try apply(record)
            }
        }
    }

    private func makeTemporal(_ epoch: Epoch, _ schema: StoreSchema) throws -> TemporalProjection {
        let isPresent = epoch.model == modelSequence
        var location = ProjectionLocation.memory
        if case .file(let path) = projection.location, !projection.isReadOnly {
            location = .file(path + (isPresent ? "-asof" : "-asof-\(epoch.start)"))
        }
        let temporal = try TemporalProjection(
            location, schema: schema, storeID: log.storeID.uuidString, modelSequence: epoch.model)
        // A baseline has the rows of its epoch itself.
        if temporal.checkpoint == .zero, epoch.start > log.baseline,
            try log.model(at: epoch.start).migration != nil
        {
            try begin(temporal, epoch)
        }
        return temporal
    }

    /// An epoch that began with a migration begins with the rows that this left.
    private func begin(_ temporal: TemporalProjection, _ epoch: Epoch) throws {
        let folder = FileManager.default.temporaryDirectory
        let path = folder.appendingPathComponent("firn-\(UUID().uuidString).sqlite").path
        defer { for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) } }
        let (base, _) = try Projection.open(
            .file(path), schema: oldSchema(at: epoch.start), storeID: log.storeID.uuidString,
            modelSequence: epoch.start, head: epoch.start)
        try base.rebuild { apply in
            let reader = try log.replay()
            while reader.position < epoch.start, let record = try reader.next() { try apply(record) }
        }
        base.closeFile()
        try temporal.begin(with: path, at: epoch.start)
    }

    /// Throws the versions of rows away; what is read of the past later builds them from what the log then has.
    func discardPast() {
        temporals.withLock { known in
            known = [:]
            guard case .file(let path) = projection.location else { return }
            let url = URL(fileURLWithPath: path)
            let prefix = url.lastPathComponent + "-asof"
            let folder = url.deletingLastPathComponent()
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            for name in names where name.hasPrefix(prefix) {
                Projection.remove(folder.appendingPathComponent(name).path)
            }
        }
    }
}
