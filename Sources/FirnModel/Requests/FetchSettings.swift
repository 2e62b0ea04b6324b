package import FirnFoundation
package import class FirnFoundation.NSPredicate
package import class FirnFoundation.NSSortDescriptor

/// The properties of an `NSFetchRequest` as a value without the type of the results.
package struct FetchSettings {
    /// The entity to fetch. A request made by name has one once a context has executed it.
    package var entity: NSEntityDescription? {
        didSet { requestedEntityName = nil }
    }
    /// The name that the request was made with, until its entity is known.
    package private(set) var requestedEntityName: String?
    package var predicate: NSPredicate?
    package var sortDescriptors: [NSSortDescriptor]?
    package var fetchLimit = 0
    package var fetchOffset = 0
    package var fetchBatchSize = 0
    package var resultType = NSFetchRequestResultType.managedObjectResultType
    package var includesSubentities = true
    package var includesPropertyValues = true
    package var includesPendingChanges = true
    package var returnsObjectsAsFaults = true
    package var relationshipKeyPathsForPrefetching: [String]?
    package var propertiesToFetch: [Any]?
    package var returnsDistinctResults = false
    package var shouldRefreshRefetchedObjects = false
    package var propertiesToGroupBy: [Any]?
    package var havingPredicate: NSPredicate?
    package var nullRule = NullRule.store

    package init(entityName: String? = nil) { requestedEntityName = entityName }

    package var entityName: String? { requestedEntityName ?? entity?.name }

    /// Properties that were set by their names, as their descriptions; other names as they are.
    func described(_ properties: [Any]?) -> [Any]? {
        guard let entity else { return properties }
        return properties?.map { property in
            (property as? String).flatMap { entity.propertiesByName[$0] } ?? property
        }
    }

    /// The columns of a dictionary fetch: all stored attributes if none is named.
    package var dictionaryProperties: [Any] {
        if let propertiesToFetch, !propertiesToFetch.isEmpty { return propertiesToFetch }
        return entity?.layout.slots.filter { $0.isStored && $0.attributeType != nil }.map(\.name) ?? []
    }

    /// A copy with copies of the predicates, so that changes of one do not reach the other.
    package var copied: FetchSettings {
        var copy = self
        copy.predicate = predicate?.copy() as? NSPredicate
        copy.havingPredicate = havingPredicate?.copy() as? NSPredicate
        return copy
    }
}

extension FetchSettings {
    /// Whether an object in memory fulfils the predicate, as a store would say of its row.
    package func isMet(by object: Any) throws -> Bool {
        try predicate?.holdsAsStored(for: object, nullIsUnknown: nullRule == .store) ?? true
    }
}

/// The results of comparisons with null in a fetch, where `NSPredicate.evaluate(with:)` and SQL differ. Saved and
/// unsaved objects are compared alike.
///
///     name != "x", name is null       store: not returned (as in Core Data)      memory: returned
///     NOT (name == "x"), name is null store: not returned                        memory: returned
public enum NullRule: Hashable, Sendable {
    /// As Core Data's SQLite store: a comparison with null is neither true nor false.
    case store
    /// As `NSPredicate.evaluate(with:)`: null is a value that is different from all others.
    case memory
}
