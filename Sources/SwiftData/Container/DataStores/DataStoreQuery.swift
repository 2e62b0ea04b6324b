#if SwiftData
import Firn
import FirnFoundation
import FirnModel
import Foundation

/// A fetch of a data store: where a request comes from, which tells less than its origin.
protocol DataStoreQuerying {
    var entityName: String? { get }
    /// The models that the store finds. Their rows are known then.
    func run(
        _ adapter: DataStoreAdapter, _ request: NSFetchRequest<NSManagedObject>, _ owner: ModelContext
    ) throws -> [PersistentIdentifier]
    /// The identifiers of the models that the store finds, without their rows.
    func identifiers(
        _ adapter: DataStoreAdapter, _ request: NSFetchRequest<NSManagedObject>, _ owner: ModelContext
    ) throws -> [PersistentIdentifier]
    func count(
        _ adapter: DataStoreAdapter, _ request: NSFetchRequest<NSManagedObject>, _ owner: ModelContext
    ) throws -> Int
}

/// A fetch of a context by a descriptor: the store gets the descriptor, and says what is left to do in memory.
struct DataStoreQuery<T: PersistentModel>: DataStoreQuerying {
    let descriptor: FetchDescriptor<T>

    var entityName: String? { ModelShape.of(T.self).entityName }

    func run(
        _ adapter: DataStoreAdapter, _ request: NSFetchRequest<NSManagedObject>, _ owner: ModelContext
    ) throws -> [PersistentIdentifier] {
        var asked = windowed(request)
        var filter: Predicate<T>?
        var order: [SortDescriptor<T>] = []
        while true {
            do {
                let found = try adapter.snapshots(asked, owner.editingState).map(\.persistentIdentifier)
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

    func identifiers(
        _ adapter: DataStoreAdapter, _ request: NSFetchRequest<NSManagedObject>, _ owner: ModelContext
    ) throws -> [PersistentIdentifier] {
        guard request.includesSubentities else { return try run(adapter, request, owner) }
        return try asking(adapter, request, owner) { try $0.fetchIdentifiers($1) }
            ?? run(adapter, request, owner)
    }

    func count(
        _ adapter: DataStoreAdapter, _ request: NSFetchRequest<NSManagedObject>, _ owner: ModelContext
    ) throws -> Int {
        guard request.includesSubentities else { return try run(adapter, request, owner).count }
        return try asking(adapter, request, owner) { try $0.fetchCount($1) } ?? run(adapter, request, owner).count
    }

    /// Nil if the store leaves something to be done in memory.
    private func asking<R>(
        _ adapter: DataStoreAdapter, _ request: NSFetchRequest<NSManagedObject>, _ owner: ModelContext,
        _ body: (any DataStore, DataStoreFetchRequest<T>) throws -> R
    ) throws -> R? {
        let asked = DataStoreFetchRequest(windowed(request), editingState: owner.editingState)
        do {
            return try adapter.calling { try body($0, asked) }
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
    private let request: NSFetchRequest<NSManagedObject>

    init(_ request: NSFetchRequest<NSManagedObject>) { self.request = request }

    var entityName: String? { request.entityName }

    func run(
        _ adapter: DataStoreAdapter, _ request: NSFetchRequest<NSManagedObject>, _ owner: ModelContext
    ) throws -> [PersistentIdentifier] {
        let context = ModelContext(reading: owner.container, owner.editingState)
        var objects = try adapter.all(of: entityName ?? "", owner.editingState).map(\.persistentIdentifier)
            .filter { request.includesSubentities || $0.entityName == entityName }
            .compactMap { context.object(for: $0) }
        if let predicate = request.predicate { objects = try objects.filter { try predicate.holdsAsStored(for: $0) } }
        let order = request.sortDescriptors ?? []
        objects.sort { left, right in
            let results = order.lazy.map { $0.compare(left, to: right) }
            return results.first { $0 != .orderedSame } == .orderedAscending
        }
        return request.window(objects.map { PersistentIdentifier($0.objectID) })
    }

    func identifiers(
        _ adapter: DataStoreAdapter, _ request: NSFetchRequest<NSManagedObject>, _ owner: ModelContext
    ) throws -> [PersistentIdentifier] { try run(adapter, request, owner) }

    func count(
        _ adapter: DataStoreAdapter, _ request: NSFetchRequest<NSManagedObject>, _ owner: ModelContext
    ) throws -> Int { try run(adapter, request, owner).count }
}

extension NSFetchRequest {
    /// The part of a list that limit and offset leave.
    fileprivate func window<Element>(_ list: [Element]) -> [Element] {
        let rest = list.dropFirst(fetchOffset)
        return Array(fetchLimit > 0 ? rest.prefix(fetchLimit) : rest)
    }
}
#endif
