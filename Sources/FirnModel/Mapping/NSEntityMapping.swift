public import Foundation

public import class FirnFoundation.NSExpression

/// The kind of migration of one entity's objects.
/// https://developer.apple.com/documentation/coredata/nsentitymappingtype
public enum NSEntityMappingType: UInt, Sendable {
    /// Not said.
    case undefinedEntityMappingType = 0
    /// A migration policy of the program's own does it.
    case customEntityMappingType = 1
    /// The entity is new.
    case addEntityMappingType = 2
    /// The entity and its objects are removed.
    case removeEntityMappingType = 3
    /// The objects stay as they are.
    case copyEntityMappingType = 4
    /// The objects get other values.
    case transformEntityMappingType = 5
}

/// How objects of one entity become objects of another.
/// https://developer.apple.com/documentation/coredata/nsentitymapping
open class NSEntityMapping: NSObject {
    /// Unique in its mapping model.
    open var name: String!
    /// The kind of migration.
    open var mappingType: NSEntityMappingType = .undefinedEntityMappingType
    /// The entity that is read.
    open var sourceEntityName: String?
    /// The version hash of the entity that is read.
    open var sourceEntityVersionHash: Data?
    /// The entity that is written.
    open var destinationEntityName: String?
    /// The version hash of the entity that is written.
    open var destinationEntityVersionHash: Data?
    /// The mappings of attributes.
    open var attributeMappings: [NSPropertyMapping]?
    /// The mappings of relationships.
    open var relationshipMappings: [NSPropertyMapping]?
    /// The source objects: an expression that gives an array, or a fetch request. Nil for all objects of the source
    /// entity itself.
    open var sourceExpression: NSExpression?
    /// Values of the program's own.
    open var userInfo: [AnyHashable: Any]?
    /// The class of the migration policy, with its module; nil for `NSEntityMigrationPolicy`.
    open var entityMigrationPolicyClassName: String?

    /// The version hashes that Xcode's compiler computed, which differ from ours.
    final var compiledHashes: (source: Data?, destination: Data?)

    public override init() { super.init() }

    /// Whether both do the same with the objects of the same entities.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSEntityMapping else { return false }
        if other === self { return true }
        return name == other.name && mappingType == other.mappingType
            && sourceEntityName == other.sourceEntityName && destinationEntityName == other.destinationEntityName
            && sourceEntityVersionHash == other.sourceEntityVersionHash
            && destinationEntityVersionHash == other.destinationEntityVersionHash
            && (attributeMappings ?? []) == (other.attributeMappings ?? [])
            && (relationshipMappings ?? []) == (other.relationshipMappings ?? [])
            && sourceExpression == other.sourceExpression
            && entityMigrationPolicyClassName == other.entityMigrationPolicyClassName
            && MappingContent.isSame(userInfo, other.userInfo)
    }

    open override var hash: Int { (name as String?).hashValue }
}

/// How one property of the destination gets its value.
/// https://developer.apple.com/documentation/coredata/nspropertymapping
open class NSPropertyMapping: NSObject {
    /// The name of the property in the destination.
    open var name: String?
    /// The value, of the variables `$source`, `$destination`, `$manager`, `$entityMapping`, `$propertyMapping` and
    /// `$entityPolicy`. Nil leaves the property as the new object has it.
    open var valueExpression: NSExpression?
    /// Values of the program's own.
    open var userInfo: [AnyHashable: Any]?

    public override init() { super.init() }

    /// Whether both give the property of one name the value of equal expressions.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPropertyMapping else { return false }
        if other === self { return true }
        return name == other.name && valueExpression == other.valueExpression
            && MappingContent.isSame(userInfo, other.userInfo)
    }

    open override var hash: Int { name.hashValue }
}
