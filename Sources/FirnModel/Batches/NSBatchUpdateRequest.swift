public import class FirnFoundation.NSPredicate
public import Foundation

/// A request that gives properties of many objects new values, without making managed objects of them.
///
/// All of it becomes one ordinary change set, with old and new values, which is written as a whole or not at all.
/// Uniqueness constraints hold, whatever the merge policy. The model's validation rules are not asked, as on Apple's
/// systems, unless `validatesValues` is set.
/// https://developer.apple.com/documentation/coredata/nsbatchupdaterequest
open class NSBatchUpdateRequest: NSPersistentStoreRequest, @unchecked Sendable {
    /// The name until the entity is known.
    private let name: String?
    package private(set) final var knownEntity: NSEntityDescription?
    /// The predicate of the objects to update; nil for all.
    open var predicate: NSPredicate?
    /// Whether objects of subentities are updated too.
    open var includesSubentities = true
    /// New values, by properties or their names: constants, or expressions over the object's own properties, for
    /// attributes; object IDs for to-one relationships whose other side is no to-one.
    open var propertiesToUpdate: [AnyHashable: Any]?
    /// The kind of result.
    open var resultType: NSBatchUpdateRequestResultType = .statusOnlyResultType
    /// Whether the request fails with Core Data's validation error if a new value breaks a rule of the model: a null
    /// where a value is mandatory, or a value that the property's predicates refuse. Ours; Apple's never check.
    open var validatesValues = false

    /// A request for an entity.
    public init(entityName: String) {
        name = entityName
        super.init()
    }

    /// A request for an entity.
    public init(entity: NSEntityDescription) {
        name = nil
        knownEntity = entity
        super.init()
    }

    /// The name of the entity.
    open var entityName: String { name ?? knownEntity?.name ?? "" }

    /// The entity. A request made by name has one once it has been executed.
    open var entity: NSEntityDescription {
        guard let knownEntity else {
            fatalError("a batch update made by name has an entity once a context has executed it")
        }
        return knownEntity
    }

    package final func resolve(_ entity: NSEntityDescription) { knownEntity = entity }

    open override var requestType: NSPersistentStoreRequestType { .batchUpdateRequestType }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = name.map(NSBatchUpdateRequest.init(entityName:)) ?? NSBatchUpdateRequest(entity: entity)
        copy.knownEntity = knownEntity
        copy.predicate = predicate
        copy.includesSubentities = includesSubentities
        copy.propertiesToUpdate = propertiesToUpdate
        copy.resultType = resultType
        copy.validatesValues = validatesValues
        copy.affectedStoreObjects = affectedStoreObjects
        return copy
    }
}

/// https://developer.apple.com/documentation/coredata/nsbatchupdaterequestresulttype
public enum NSBatchUpdateRequestResultType: UInt, Sendable {
    /// Whether it was done.
    case statusOnlyResultType = 0
    /// IDs of updated objects.
    case updatedObjectIDsResultType = 1
    /// How many objects were updated.
    case updatedObjectsCountResultType = 2
}

/// https://developer.apple.com/documentation/coredata/nsbatchupdateresult
open class NSBatchUpdateResult: NSPersistentStoreResult {
    /// A Boolean, object IDs or a count, as the type says.
    open private(set) var result: Any?
    /// The kind of result.
    open private(set) var resultType: NSBatchUpdateRequestResultType

    /// Makes a result without a value, for a subclass that stands in for one.
    public override init() { resultType = .statusOnlyResultType }

    package init(_ result: Any?, _ resultType: NSBatchUpdateRequestResultType) {
        self.result = result
        self.resultType = resultType
    }
}
