import FirnStore
import FirnLog
import FirnModel
import FirnProjection
import Foundation

/// A store as it was after a record of its log: the same objects under the same IDs, read only.
///
/// It reads a second projection that keeps every version of every row with the sequence numbers between which it
/// held, so that a read costs what it costs now, whatever the point.
final class HistoricalStore: NSPersistentStore, @unchecked Sendable {
    /// The point that the store shows.
    let sequence: SequenceNumber

    init(
        _ present: LoggedStore, at sequence: SequenceNumber, _ past: (AsOfProjection, StoreSchema),
        coordinator: NSPersistentStoreCoordinator
    ) {
        self.sequence = sequence
        super.init(
            persistentStoreCoordinator: coordinator, configurationName: present.configurationName,
            at: present.url ?? URL(fileURLWithPath: "/dev/null"),
            options: [NSReadOnlyPersistentStoreOption: NSNumber(value: true)])
        identifier = present.identifier
        identity = StoreIdentity(identifier: present.identifier, store: self)
        metadata = present.metadata
        backend = HistoricalBackend(schema: past.1, past: past.0, externalValues: present.backend?.externalValues,
            rowCache: present.makeRowCache())
    }

    required init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?,
        at url: URL, options: [AnyHashable: Any]? = nil
    ) {
        fatalError("a historical store is made by newContext(asOf:)")
    }
}

extension NSPersistentStoreCoordinator {
    /// A private-queue context that sees the stores as they were at a point of their history. It reads; saving
    /// changes in it fails. Before a migration it answers in the terms of the model that was in force then.
    /// Complexity: a read costs what it costs in the present; the first use builds the versions.
    public func newContext(asOf point: HistoryPoint) throws -> NSManagedObjectContext {
        var found: [(store: LoggedStore, sequence: SequenceNumber, past: (AsOfProjection, StoreSchema))] = []
        for case let store as LoggedStore in persistentStores {
            guard let sequence = try store.sequence(of: point) else { continue }
            found.append((store, sequence, try store.engine.past(at: sequence)))
        }
        guard let model = found.first?.past.1.model else {
            throw CoreDataError.make(
                .persistentStoreOperation, "no store of the coordinator has a history that reaches \(point)")
        }
        guard found.allSatisfy({ $0.past.1.isSameModel(as: model) }) else {
            throw CoreDataError.make(
                .persistentStoreOperation,
                "the stores had different models at \(point): ask a coordinator with one of them")
        }
        let past = NSPersistentStoreCoordinator(past: model)
        for (store, sequence, state) in found {
            past.adopt(HistoricalStore(store, at: sequence, state, coordinator: past))
        }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = past
        return context
    }
}

extension LoggedStore {
    /// The record after which the store was as at `point`; nil if the point names other stores.
    func sequence(of point: HistoryPoint) throws -> SequenceNumber? {
        try engine.refresh()
        try engine.log.refreshBeginning()
        guard let sequence = try record(at: point) else { return nil }
        guard sequence >= engine.log.baseline else {
            throw CoreDataError.make(
                .persistentHistoryTokenExpired,
                "the history up to record \(engine.log.baseline) was trimmed, so the state after record \(sequence) "
                    + "cannot be told any more: ask for a later point",
                [NSAffectedStoresErrorKey: [self]])
        }
        return sequence
    }

    private func record(at point: HistoryPoint) throws -> SequenceNumber? {
        switch point {
        case .sequence(let sequence):
            guard sequence <= engine.log.head else {
                throw CoreDataError.make(
                    .persistentStoreOperation,
                    "the store has \(engine.log.head) records, so there is no state after record \(sequence)",
                    [NSAffectedStoresErrorKey: [self]])
            }
            return sequence
        case .date(let date):
            if let begin = try engine.log.baselineDate, date.microseconds < begin { return .zero }
            return try engine.log.sequence(atOrBefore: date.microseconds)
        case .token(let token): return token.positions[identifier]
        }
    }
}

extension StoreSchema {
    /// Stores that were opened with one model share it; of the past, each has read its own.
    fileprivate func isSameModel(as other: NSManagedObjectModel) -> Bool {
        model === other || model.entityVersionHashesByName == other.entityVersionHashesByName
    }
}

extension Date {
    /// Since 1970, as the log counts. Dates that 64 bits cannot hold are the nearest they can.
    var microseconds: Int64 {
        let value = (timeIntervalSince1970 * 1e6).rounded(.down)
        return Int64(exactly: value) ?? (value < 0 ? .min : .max)
    }
}
