#if SwiftData
import Firn
import FirnFoundation
import class FirnFoundation.NSPredicate
import FirnModel
import Foundation

/// Why a predicate could not be evaluated in memory.
final class EvaluationFailure {
    var error: (any Error)?
}

/// The work of contexts for data stores of one's own.
extension ModelContext {
    /// The request that a descriptor stands for. A data store may be able to evaluate more than SQL can.
    final func request<T: PersistentModel, Result: NSFetchRequestResult>(
        for descriptor: FetchDescriptor<T>, _ type: Result.Type
    ) throws -> NSFetchRequest<Result> {
        do {
            return try FetchTranslation(descriptor: descriptor, context: self).request(type)
        } catch SwiftDataError.unsupportedPredicate where adapter(of: T.self) != nil {
            var plain = descriptor
            plain.predicate = nil
            let request = try FetchTranslation(descriptor: plain, context: self).request(type)
            request.predicate = descriptor.predicate.map { evaluating($0) }
            return request
        }
    }

    /// Evaluates a predicate on the models of objects, as Swift does.
    private func evaluating<T: PersistentModel>(_ predicate: Predicate<T>) -> NSPredicate {
        let failure = managed.evaluationFailure
        return NSPredicate { [unowned self] object, _ in
            guard let object = object as? ModelObject, let model = model(of: object) as? T else { return false }
            do {
                return try predicate.evaluate(model)
            } catch {
                failure.error = error
                return false
            }
        }
    }

    final func adapter<T: PersistentModel>(of type: T.Type) -> DataStoreAdapter? {
        container.adapters.isEmpty ? nil : container.adapter(of: ModelShape.of(type).entityName)
    }

    /// Runs a fetch with the descriptor that it comes from at hand. What the store tells meanwhile is merged.
    final func asking<T: PersistentModel, R>(
        _ descriptor: FetchDescriptor<T>, _ body: () throws -> R
    ) throws -> R {
        guard adapter(of: T.self) != nil else { return try body() }
        let outer = managed.query
        managed.query = DataStoreQuery(descriptor: descriptor)
        defer {
            managed.query = outer
            managed.evaluationFailure.error = nil
        }
        let result = try body()
        if let error = managed.evaluationFailure.error { throw error }
        mergeArrived()
        return result
    }

    /// Deletes the models that a descriptor describes: with one request of the next save, if the store has batches.
    final func deleteModels<T: PersistentModel>(
        _ descriptor: FetchDescriptor<T>, _ includeSubclasses: Bool, in adapter: DataStoreAdapter
    ) throws {
        let request = try request(for: descriptor, ModelObject.self)
        request.includesSubentities = includeSubclasses
        let isFirst = !hasChanges
        let objects = try asking(descriptor) { try answered(request) }
        for object in objects { managed.delete(object) }
        managed.processPendingChanges()
        scheduleSave()
        if isFirst { pendingBatches.add(descriptor.predicate, includeSubclasses, of: objects, in: adapter) }
    }

    /// The transactions of data stores of one's own; nil if none has transactions of this type, but other stores may.
    final func storeTransactions<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]? {
        let found = try container.adapters.compactMap { adapter in
            try adapter.calling { try ($0 as? any HistoryProviding)?.transactions(descriptor) }
        }
        if !found.isEmpty { return found.flatMap { $0 } }
        guard !container.adapters.isEmpty, container.configurations.isEmpty else { return nil }
        throw SwiftDataError.invalidTransactionFetchRequest.because("no store of the container has a \(T.self)")
    }

    /// Deletes transactions of data stores of one's own. False if none has transactions of this type.
    final func deleteStoreTransactions<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> Bool {
        try container.adapters.reduce(false) { isDone, adapter in
            let isDoneHere = try adapter.calling {
                try ($0 as? any HistoryProviding)?.deleteTransactions(descriptor) ?? false
            }
            return isDone || isDoneHere
        }
    }
}
#endif
