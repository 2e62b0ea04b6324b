import FirnStore
import FirnFoundation
import FirnModel
import Foundation

/// A controller's fetch request as it was when it was performed: what decides, without a fetch, whether an object is
/// among the results and where.
struct ResultsQuery {
    let entity: NSEntityDescription
    let order: ResultsOrder
    let sectionPath: KeyPathComponents?
    /// Whether results are given as object IDs.
    let givesIDs: Bool
    /// Whether results are objects, and not dictionaries.
    let givesObjects: Bool
    private let settings: FetchSettings
    private let stores: [NSPersistentStore]
    private let affectedStores: [NSPersistentStore]?
    /// Whether the results can only be known by fetching again: because of a window, because unsaved changes do not
    /// count, or because the values of other objects decide.
    let needsFetch: Bool
    /// Entities, other than those of the results, whose values decide.
    let reach: Set<String>

    init(
        _ request: UntypedFetchRequest, entity: NSEntityDescription, sectionNameKeyPath: String?,
        stores: [NSPersistentStore]
    ) {
        let affectedStores = request.affectedStores
        let request = request.settings
        let descriptors = request.sortDescriptors ?? []
        self.entity = entity
        self.stores = stores
        order = ResultsOrder(descriptors: DescriptorOrder(descriptors, joinsRows: true))
        sectionPath = sectionNameKeyPath.map { KeyPathComponents($0) }
        givesIDs = request.resultType == .managedObjectIDResultType
        givesObjects = request.resultType != .dictionaryResultType
        settings = request
        self.affectedStores = affectedStores
        reach = ResultsReach(
            entity, request.predicate, descriptors.compactMap(\.key) + [sectionNameKeyPath].compactMap { $0 }
        ).entityNames
        needsFetch =
            request.fetchLimit > 0 || request.fetchOffset > 0 || !request.includesPendingChanges
            || !reach.isEmpty
    }

    /// Whether a change of the object may change the results: it is of the kind that is asked for, or decides.
    func isReached(by object: NSManagedObject) -> Bool {
        object.isAsked(for: entity, includesSubentities: settings.includesSubentities, in: affectedStores)
            || !reach.isEmpty && reach.contains(object.entity.name ?? "")
    }

    /// Whether an object of the right kind is among the results. Decided in memory, as for unsaved objects in a fetch.
    func matches(_ object: NSManagedObject) -> Bool {
        if object.isDeleted || object.state.contains(.gone) { return false }
        // A value that a function or a pattern cannot take is no match, as in SQL. The request as such was performed.
        let holds = (try? settings.isMet(by: object)) ?? false
        // The row may turn out to be gone when the fault fires.
        return holds && !object.isDeleted
    }

    /// The values that decide a result's place, read now.
    func arrival(_ object: NSManagedObject) -> ResultsList.Event.Arrival {
        .init(
            result: object, values: order.descriptors.values(of: object),
            rank: ResultsRank(object, stores: stores), sectionName: sectionName(of: object))
    }

    /// The values that decide a dictionary's place, which has a position in what the fetch gave.
    func arrival(_ dictionary: AnyObject, position: Int) -> ResultsList.Event.Arrival {
        .init(
            result: dictionary, values: order.descriptors.values(of: dictionary),
            rank: ResultsRank(position: position), sectionName: sectionName(of: dictionary))
    }

    func rank(of object: NSManagedObject) -> ResultsRank { ResultsRank(object, stores: stores) }

    /// Nil names the section `""`; numbers are written as they are, Booleans as 1 and 0.
    private func sectionName(of result: AnyObject) -> String {
        guard let sectionPath else { return "" }
        switch keyValueCodingValue(of: result, forKeyPath: sectionPath) {
        case nil, is NSNull: return ""
        case let text as String: return text
        case let value? where type(of: value) == Bool.self: return (value as? Bool) == true ? "1" : "0"
        case let value?: return "\(value)"
        }
    }
}
