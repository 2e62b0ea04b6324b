import FirnStore
public import FirnModel

/// The results of a fetch as a collection that makes objects when they are asked for.
///
/// The identities of all results are known at once, so `count` costs nothing; the rows of `fetchBatchSize` neighbours
/// are read when one of them is needed. Objects are not kept alive: a result that is asked for again may be another
/// instance, unless something holds it. The collection is what the store had when it was fetched: a result that is
/// deleted later stays in its place, as a deleted object or a fault without a row.
///
/// Core Data hides this behind the array that `fetch` returns; in Swift the conversion to an array walks all of it, so
/// it is a type of its own here. It belongs to its context's queue.
public struct LazyResults<Element: NSManagedObject>: RandomAccessCollection {
    private final class Storage {
        let context: NSManagedObjectContext
        let ids: [NSManagedObjectID]
        let size: Int
        let paths: [String]
        var batches: [Int: FaultBatch] = [:]

        init(_ context: NSManagedObjectContext, ids: [NSManagedObjectID], size: Int, paths: [String]) {
            self.context = context
            self.ids = ids
            self.size = size
            self.paths = paths
        }

        func batch(of index: Int) -> FaultBatch {
            let number = index / size
            if let batch = batches[number] { return batch }
            let start = number * size
            let ids = ids[start..<Swift.min(start + size, ids.count)].map(\.current)
            let batch = FaultBatch([.ids(ids)], entity: ids.first?.entity, paths, context)
            batches[number] = batch
            return batch
        }
    }

    private let storage: Storage

    init(_ fetch: ObjectFetch) throws {
        let settings = fetch.request.settings
        let found = try fetch.identities()
        storage = Storage(
            fetch.context, ids: found,
            size: settings.fetchBatchSize > 0 ? settings.fetchBatchSize : Swift.max(found.count, 1),
            paths: settings.relationshipKeyPathsForPrefetching ?? [])
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { storage.ids.count }

    /// The result at this place. No I/O; the first access to its values reads its batch.
    public subscript(position: Int) -> Element {
        guard indices.contains(position) else {
            fatalError("there are \(count) results, none at \(position)")
        }
        let object = storage.context.object(with: storage.ids[position])
        if object.isFault { object.consumeHints().batch = storage.batch(of: position) }
        guard let element = object as? Element else {
            fatalError(
                "the request gives \(type(of: object)), not \(Element.self): let its entity fit its type")
        }
        return element
    }
}

extension NSManagedObjectContext {
    /// The objects that meet the request, made when they are asked for, their rows read `fetchBatchSize` at a time.
    /// Ours, not Apple's. Complexity: one read of the identities.
    public func lazyResults<T: NSManagedObject>(of request: NSFetchRequest<T>) throws -> LazyResults<T> {
        let request = try storeRequest(request).changed { settings in
            settings.resultType = .managedObjectResultType
            settings.includesPropertyValues = false
        }
        return try LazyResults(ObjectFetch(self, request))
    }
}
