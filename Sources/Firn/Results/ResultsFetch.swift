import FirnStore
import FirnModel
import Foundation

/// Performing a controller's fetch, and making the list of what it finds.
struct ResultsFetch {
    private let tracker: ResultsTracker

    init(_ tracker: ResultsTracker) { self.tracker = tracker }

    struct FetchedLists {
        let query: ResultsQuery
        let list: ResultsList
        let unsaved: [ResultsEntry]
    }

    func run() throws -> FetchedLists {
        let request = fetchRequest()
        let entity = try tracker.context.entity(of: request)
        let stores = tracker.context.persistentStoreCoordinator?.persistentStores ?? []
        let query = ResultsQuery(
            tracker.request, entity: entity, sectionNameKeyPath: tracker.sectionNameKeyPath,
            stores: stores)
        let results = try tracker.context.fetch(request)
        var found: [ResultsList.Event.Arrival] = []
        found.reserveCapacity(results.count)
        for (position, result) in results.enumerated() {
            if let object = result as? NSManagedObject {
                found.append(query.arrival(object))
            } else {
                found.append(query.arrival(result as AnyObject, position: position))
            }
        }
        if query.givesObjects { Self.sort(&found, by: query.order) }
        var list = ResultsList(
            order: query.order, isSectioned: query.sectionPath != nil, owner: tracker)
        for (index, result) in found.enumerated() {
            let isInOrder = list.append(
                result.result, result.values, result.rank, sectionName: result.sectionName)
            guard isInOrder else { throw outOfOrder(index, result.sectionName) }
        }
        let unsaved = found.lazy.filter(\.rank.isTemporary).compactMap { list.entry(of: $0.result) }
        return FetchedLists(query: query, list: list, unsaved: Array(unsaved))
    }

    /// The objects that the request finds now, after a change. Nothing is refreshed: that would be the next change.
    func objects() throws -> [NSManagedObject] {
        let request = fetchRequest()
        request.shouldRefreshRefetchedObjects = false
        return try tracker.context.fetch(request).compactMap { $0 as? NSManagedObject }
    }

    /// The tracker's request for objects, all at once: every one's place must be known.
    private func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.copySettings(from: tracker.request)
        request.fetchBatchSize = 0
        switch request.resultType {
        case .managedObjectIDResultType: request.resultType = .managedObjectResultType
        case .countResultType:
            fatalError(
                "a fetched results controller lists objects, object IDs or dictionaries: a count is none of them")
        default: break
        }
        return request
    }

    /// Several stores' results come one after the other.
    private static func sort(_ found: inout [ResultsList.Event.Arrival], by order: ResultsOrder) {
        func precedes(_ a: ResultsList.Event.Arrival, _ b: ResultsList.Event.Arrival) -> Bool {
            order.precedes((a.values, a.rank), (b.values, b.rank))
        }
        let isSorted = zip(found, found.dropFirst()).allSatisfy { precedes($0, $1) }
        if !isSorted { found.sort(by: precedes) }
    }

    private func outOfOrder(_ index: Int, _ name: String) -> NSError {
        let reason =
            "The fetched object at index \(index) has an out of order section name '\(name)'. Objects must be "
            + "sorted by section name: let the first sort descriptor order them as "
            + "'\(tracker.sectionNameKeyPath ?? "")' does"
        return CoreDataError.make(.coreData, reason, ["reason": reason])
    }
}

extension UntypedFetchRequest {
    /// Asks from now on what the other request asks.
    func copySettings(from other: UntypedFetchRequest) {
        settings = other.settings
        affectedStores = other.affectedStores
    }
}
