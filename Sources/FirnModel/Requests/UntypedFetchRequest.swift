import Foundation
public import class FirnFoundation.NSPredicate
public import class FirnFoundation.NSSortDescriptor

/// All of a fetch request but the Swift type of its results.
///
/// In Objective-C the type parameter of `NSFetchRequest` is erased, and requests of different result types convert
/// freely. Swift's generic classes do not; what has to take every fetch request takes this class.
open class UntypedFetchRequest: NSPersistentStoreRequest {
    /// The entity to fetch. A request made by name has one once a context has executed it.
    public final var entity: NSEntityDescription? {
        didSet { requestedEntityName = nil }
    }

    /// The name of the entity to fetch.
    public final var entityName: String? { requestedEntityName ?? entity?.name }

    /// What objects must fulfil; nil for all.
    open var predicate: NSPredicate?

    open var sortDescriptors: [NSSortDescriptor]?

    /// The most objects to return; 0 for no limit.
    open var fetchLimit: Int = 0

    /// How many objects to skip, in the order of the sort descriptors.
    open var fetchOffset: Int = 0

    /// How many objects to load at a time; 0 for all at once.
    open var fetchBatchSize: Int = 0

    open var resultType: NSFetchRequestResultType = .managedObjectResultType

    /// Whether objects of subentities are returned too.
    open var includesSubentities: Bool = true

    /// Whether the objects' values are read along with their identities.
    open var includesPropertyValues: Bool = true

    /// Whether unsaved changes of the context decide, beside the store, what is returned.
    open var includesPendingChanges: Bool = true

    /// Whether objects are returned as faults, their values waiting in the row cache.
    open var returnsObjectsAsFaults: Bool = true

    /// Key paths of relationships whose objects are loaded along.
    open var relationshipKeyPathsForPrefetching: [String]?

    /// For dictionaries: names, attributes, to-one relationships, expression descriptions.
    open var propertiesToFetch: [Any]?

    /// Whether equal dictionaries are returned once.
    open var returnsDistinctResults: Bool = false

    /// Whether objects already in the context get the fetched values.
    open var shouldRefreshRefetchedObjects: Bool = false

    /// For dictionaries: the properties, or their names, that the rows are grouped by.
    open var propertiesToGroupBy: [Any]?

    /// What groups must fulfil. Needs `propertiesToGroupBy`.
    open var havingPredicate: NSPredicate?

    private var requestedEntityName: String?

    open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    public override init() { super.init() }

    package init(requestedEntityName: String) {
        self.requestedEntityName = requestedEntityName
        super.init()
    }

    /// The name that the request was made with, until its entity is known.
    package final var unresolvedEntityName: String? { requestedEntityName }

    /// Gives a request made by name its entity.
    package final func resolveEntity(_ resolved: NSEntityDescription) { entity = resolved }

    package final func copyContents(to copy: UntypedFetchRequest) {
        copy.entity = entity
        copy.requestedEntityName = requestedEntityName
        copy.affectedStoreObjects = affectedStoreObjects
        copy.predicate = predicate?.copy() as? NSPredicate
        copy.sortDescriptors = sortDescriptors
        copy.fetchLimit = fetchLimit
        copy.fetchOffset = fetchOffset
        copy.fetchBatchSize = fetchBatchSize
        copy.resultType = resultType
        copy.includesSubentities = includesSubentities
        copy.includesPropertyValues = includesPropertyValues
        copy.includesPendingChanges = includesPendingChanges
        copy.returnsObjectsAsFaults = returnsObjectsAsFaults
        copy.relationshipKeyPathsForPrefetching = relationshipKeyPathsForPrefetching
        copy.propertiesToFetch = propertiesToFetch
        copy.returnsDistinctResults = returnsDistinctResults
        copy.shouldRefreshRefetchedObjects = shouldRefreshRefetchedObjects
        copy.propertiesToGroupBy = propertiesToGroupBy
        copy.havingPredicate = havingPredicate?.copy() as? NSPredicate
    }
}
