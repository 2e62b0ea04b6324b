public import Foundation

public import class FirnFoundation.NSPredicate
public import class FirnFoundation.NSSortDescriptor

/// A request for objects of an entity.
///
/// The type parameter carries no constraint here, because on Linux a protocol type does not conform to its protocol
/// and `NSFetchRequest<any NSFetchRequestResult>` would not compile. What executes requests has the constraint.
/// https://developer.apple.com/documentation/coredata/nsfetchrequest
open class NSFetchRequest<ResultType>: UntypedFetchRequest, @unchecked Sendable {
    public override init() { super.init() }

    /// A request for the entity of that name in the model of the context that executes it.
    public convenience init(entityName: String) {
        self.init(asking: FetchSettings(entityName: entityName))
    }

    package init(asking settings: FetchSettings) { super.init(settings: settings) }

    /// The request that was encoded; nil if the archive holds none.
    public required init?(coder: NSCoder) {
        guard let settings = FetchSettings(coder: coder) else { return nil }
        super.init(settings: settings)
    }

    /// The entity to fetch. A request made by name has one once a context has executed it.
    open var entity: NSEntityDescription? {
        get { settings.entity }
        set { settings.entity = newValue }
    }

    /// The name of the entity to fetch.
    open var entityName: String? { settings.entityName }

    /// The predicate that objects must fulfil; nil for all.
    open var predicate: NSPredicate? {
        get { settings.predicate }
        set { settings.predicate = newValue }
    }

    /// The order of the results.
    open var sortDescriptors: [NSSortDescriptor]? {
        get { settings.sortDescriptors }
        set { settings.sortDescriptors = newValue }
    }

    /// The most objects to return; 0 for no limit.
    open var fetchLimit: Int {
        get { settings.fetchLimit }
        set { settings.fetchLimit = newValue }
    }

    /// How many objects to skip, in the order of the sort descriptors.
    open var fetchOffset: Int {
        get { settings.fetchOffset }
        set { settings.fetchOffset = newValue }
    }

    /// How many objects to load at a time; 0 for all at once.
    ///
    /// The identities of all objects come with the fetch. Access to the first value of an object loads the values of
    /// its neighbours too, this many objects at once.
    open var fetchBatchSize: Int {
        get { settings.fetchBatchSize }
        set { settings.fetchBatchSize = newValue }
    }

    /// The kind of result: objects, IDs, dictionaries or a count.
    open var resultType: NSFetchRequestResultType {
        get { settings.resultType }
        set { settings.resultType = newValue }
    }

    /// Whether objects of subentities are returned too.
    open var includesSubentities: Bool {
        get { settings.includesSubentities }
        set { settings.includesSubentities = newValue }
    }

    /// Whether the objects' values are read along with their identities.
    open var includesPropertyValues: Bool {
        get { settings.includesPropertyValues }
        set { settings.includesPropertyValues = newValue }
    }

    /// Whether unsaved changes of the context count too. Dictionaries always show the store's state.
    open var includesPendingChanges: Bool {
        get { settings.includesPendingChanges }
        set { settings.includesPendingChanges = newValue }
    }

    /// Whether objects are returned as faults. Their values are then in the row cache.
    open var returnsObjectsAsFaults: Bool {
        get { settings.returnsObjectsAsFaults }
        set { settings.returnsObjectsAsFaults = newValue }
    }

    /// Key paths of relationships whose objects are loaded along.
    open var relationshipKeyPathsForPrefetching: [String]? {
        get { settings.relationshipKeyPathsForPrefetching }
        set { settings.relationshipKeyPathsForPrefetching = newValue }
    }

    /// For dictionaries: names, attributes, to-one relationships, expression descriptions. For objects: the properties
    /// that are read; the first access to another one reads the rest. Names of the entity's own properties are read
    /// back as their descriptions, once the request has its entity.
    open var propertiesToFetch: [Any]? {
        get { settings.described(settings.propertiesToFetch) }
        set { settings.propertiesToFetch = newValue }
    }

    /// Whether equal dictionaries are returned once.
    open var returnsDistinctResults: Bool {
        get { settings.returnsDistinctResults }
        set { settings.returnsDistinctResults = newValue }
    }

    /// Whether objects already in the context get the fetched values.
    open var shouldRefreshRefetchedObjects: Bool {
        get { settings.shouldRefreshRefetchedObjects }
        set { settings.shouldRefreshRefetchedObjects = newValue }
    }

    /// For dictionaries: the properties, or their names, that the rows are grouped by.
    open var propertiesToGroupBy: [Any]? {
        get { settings.described(settings.propertiesToGroupBy) }
        set { settings.propertiesToGroupBy = newValue }
    }

    /// The predicate that groups must fulfil. Needs `propertiesToGroupBy`.
    open var havingPredicate: NSPredicate? {
        get { settings.havingPredicate }
        set { settings.havingPredicate = newValue }
    }

    /// How the store compares with null. Ours, not Apple's: the default is what Core Data's SQLite store does.
    public final var nullRule: NullRule {
        get { settings.nullRule }
        set { settings.nullRule = newValue }
    }

    open override func copy(with zone: NSZone? = nil) -> Any { withResultType(ResultType.self) }
}

/// A result of a fetch: managed objects, their identities, dictionaries, and counts.
///
/// https://developer.apple.com/documentation/coredata/nsfetchrequestresult
public protocol NSFetchRequestResult: NSObjectProtocol {}

extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}

/// The form of a fetch's results.
///
/// https://developer.apple.com/documentation/coredata/nsfetchrequestresulttype
public struct NSFetchRequestResultType: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Managed objects; the empty option set.
    public static var managedObjectResultType: NSFetchRequestResultType { NSFetchRequestResultType([]) }
    /// Object IDs.
    public static var managedObjectIDResultType: NSFetchRequestResultType { NSFetchRequestResultType(rawValue: 1) }
    /// Dictionaries.
    public static var dictionaryResultType: NSFetchRequestResultType { NSFetchRequestResultType(rawValue: 2) }
    /// An array of exactly one number.
    public static var countResultType: NSFetchRequestResultType { NSFetchRequestResultType(rawValue: 4) }
}
