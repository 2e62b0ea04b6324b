#if SwiftData
import Firn
import FirnFoundation
import FirnModel
import Foundation

/// A fetch of a data store: where a request comes from, which tells less than its origin.
protocol DataStoreQuerying {
    var entityName: String? { get }
    /// The models that the store finds. Their rows are known then.
    func run(_ call: DataStoreCall) throws -> [PersistentIdentifier]
    /// The identifiers of the models that the store finds, without their rows.
    func identifiers(_ call: DataStoreCall) throws -> [PersistentIdentifier]
    func count(_ call: DataStoreCall) throws -> Int
}

/// A request of the coordinator, with the store that is asked and the context that asks.
struct DataStoreCall {
    let adapter: DataStoreAdapter
    let request: NSFetchRequest<NSManagedObject>
    let owner: ModelContext
}

/// A fetch of a context by a descriptor: the store gets the descriptor, and says what is left to do in memory.
struct DataStoreQuery<T: PersistentModel>: DataStoreQuerying {
    let descriptor: FetchDescriptor<T>

    var entityName: String? { ModelShape.of(T.self).entityName }

    func run(_ call: DataStoreCall) throws -> [PersistentIdentifier] {
        let (request, owner) = (call.request, call.owner)
        var asked = windowed(request)
        var filter: Predicate<T>?
        var order: [SortDescriptor<T>] = []
        while true {
            do {
                let found = try call.adapter.snapshots(asked, owner.editingState).map(\.persistentIdentifier)
                    .filter { request.includesSubentities || $0.entityName == entityName }
                if filter == nil, order.isEmpty { return found }
                return request.window(try selected(found, filter, order, owner))
            } catch DataStoreError.preferInMemoryFilter where asked.predicate != nil {
                (filter, asked.predicate) = (asked.predicate, nil)
            } catch DataStoreError.preferInMemorySort where !asked.sortBy.isEmpty {
                (order, asked.sortBy) = (asked.sortBy, [])
            }
            (asked.fetchLimit, asked.fetchOffset) = (nil, nil)
        }
    }

    /// Models are compared as they are saved: in a context of their own.
    private func selected(
        _ found: [PersistentIdentifier], _ filter: Predicate<T>?, _ order: [SortDescriptor<T>], _ owner: ModelContext
    ) throws -> [PersistentIdentifier] {
        let context = ModelContext(reading: owner.container, owner.editingState)
        var models = found.compactMap { context.model(for: $0) as? T }
        if let filter { models = try models.filter(filter.evaluate) }
        return models.sorted(using: order).map(\.persistentModelID)
    }

    func identifiers(_ call: DataStoreCall) throws -> [PersistentIdentifier] {
        try asking(call) { try $0.fetchIdentifiers($1) } ?? run(call)
    }

    func count(_ call: DataStoreCall) throws -> Int {
        try asking(call) { try $0.fetchCount($1) } ?? run(call).count
    }

    /// Nil if the store leaves something to be done in memory, or would answer for subclasses too.
    private func asking<R>(
        _ call: DataStoreCall, _ body: (any DataStore, DataStoreFetchRequest<T>) throws -> R
    ) throws -> R? {
        guard call.request.includesSubentities else { return nil }
        let asked = DataStoreFetchRequest(windowed(call.request), editingState: call.owner.editingState)
        do {
            return try call.adapter.calling { try body($0, asked) }
        } catch DataStoreError.preferInMemoryFilter, DataStoreError.preferInMemorySort {
            return nil
        }
    }

    /// The descriptor with the window that the coordinator asks for: unsaved changes may need a larger one.
    private func windowed(_ request: NSFetchRequest<NSManagedObject>) -> FetchDescriptor<T> {
        var asked = descriptor
        asked.fetchLimit = request.fetchLimit > 0 ? request.fetchLimit : nil
        asked.fetchOffset = request.fetchOffset > 0 ? request.fetchOffset : nil
        return asked
    }
}

/// A fetch that has no descriptor: all models are read, and compared in memory.
struct InMemoryQuery: DataStoreQuerying {
    let entityName: String?

    func run(_ call: DataStoreCall) throws -> [PersistentIdentifier] {
        let (request, state) = (call.request, call.owner.editingState)
        let context = ModelContext(reading: call.owner.container, state)
        var objects = try call.adapter.all(of: entityName ?? "", state).map(\.persistentIdentifier)
            .filter { request.includesSubentities || $0.entityName == entityName }
            .compactMap { context.object(for: $0) }
        if let predicate = request.predicate {
            objects = try objects.filter { try predicate.holdsAsStored(for: $0, nullIsUnknown: false) }
        }
        let order = request.sortDescriptors ?? []
        objects.sort { left, right in
            let results = order.lazy.map { $0.compare(left, to: right) }
            return results.first { $0 != .orderedSame } == .orderedAscending
        }
        return request.window(objects.map { PersistentIdentifier($0.objectID) })
    }

    func identifiers(_ call: DataStoreCall) throws -> [PersistentIdentifier] { try run(call) }

    func count(_ call: DataStoreCall) throws -> Int { try run(call).count }
}

extension NSFetchRequest {
    /// The part of a list that limit and offset leave.
    fileprivate func window<Element>(_ list: [Element]) -> [Element] {
        let rest = list.dropFirst(fetchOffset)
        return Array(fetchLimit > 0 ? rest.prefix(fetchLimit) : rest)
    }
}
#endif
