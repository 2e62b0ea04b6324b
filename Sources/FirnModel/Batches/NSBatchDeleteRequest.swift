import class FirnFoundation.NSPredicate
import FirnFoundation
public import Foundation

/// A request that deletes many objects without making managed objects of them.
///
/// In each store it becomes one change set, which is written as a whole or not at all; a failure in a second store
/// leaves what the first one deleted. Delete rules hold: cascades are followed, inverses nullified; a related object
/// that denies the deletion, or whose mandatory inverse would become empty, fails the request. `minCount` and
/// `maxCount` are not checked.
/// https://developer.apple.com/documentation/coredata/nsbatchdeleterequest
open class NSBatchDeleteRequest: NSPersistentStoreRequest, @unchecked Sendable {
    private let request: NSFetchRequest<any NSFetchRequestResult>
    /// The kind of result.
    open var resultType: NSBatchDeleteRequestResultType = .resultTypeStatusOnly
    /// Made of an empty list of IDs, so that no entity is known and nothing is to be deleted.
    package private(set) final var isOfNoObjects = false

    /// Deletes what the request would fetch; its limit, offset, order and affected stores count.
    public init(fetchRequest fetch: NSFetchRequest<any NSFetchRequestResult>) {
        request = fetch.withResultType((any NSFetchRequestResult).self)
        super.init()
        affectedStoreObjects = fetch.affectedStoreObjects
    }

    /// Deletes these objects, which must inherit from one root entity; the program stops if they do not. Those
    /// that are gone already are left out.
    public convenience init(objectIDs objects: [NSManagedObjectID]) {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = objects.first?.entity.rootEntity
        guard (objects.allSatisfy { $0.entity.rootEntity === request.entity }) else {
            fatalError("a batch delete takes objects of one root entity: make a request for each")
        }
        request.predicate = NSPredicate(format: "SELF IN %@", objects as NSArray)
        self.init(fetchRequest: request)
        isOfNoObjects = objects.isEmpty
    }

    /// A copy of the request that tells what to delete.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult> {
        request.withResultType((any NSFetchRequestResult).self)
    }

    open override var requestType: NSPersistentStoreRequestType { .batchDeleteRequestType }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSBatchDeleteRequest(fetchRequest: request)
        copy.resultType = resultType
        copy.isOfNoObjects = isOfNoObjects
        copy.affectedStoreObjects = affectedStoreObjects
        return copy
    }
}

/// https://developer.apple.com/documentation/coredata/nsbatchdeleterequestresulttype
public enum NSBatchDeleteRequestResultType: UInt, Sendable {
    /// True: a request that fails throws.
    case resultTypeStatusOnly = 0
    /// The IDs of all objects that are gone, those that a delete rule took along included.
    case resultTypeObjectIDs = 1
    /// How many objects were deleted, those that a delete rule took along included.
    case resultTypeCount = 2
}

/// https://developer.apple.com/documentation/coredata/nsbatchdeleteresult
open class NSBatchDeleteResult: NSPersistentStoreResult {
    /// A Boolean, object IDs or a count, as the type says.
    open private(set) var result: Any?
    /// The kind of `result`.
    open private(set) var resultType: NSBatchDeleteRequestResultType

    /// Makes a result without a value, for a subclass that stands in for one.
    public override init() { resultType = .resultTypeStatusOnly }

    package init(_ result: Any?, _ resultType: NSBatchDeleteRequestResultType) {
        self.result = result
        self.resultType = resultType
    }
}
