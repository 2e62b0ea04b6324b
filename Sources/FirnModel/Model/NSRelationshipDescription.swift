import FirnRuntime
public import Foundation

/// A relationship: a property that names one or many objects of another entity.
///
/// https://developer.apple.com/documentation/coredata/nsrelationshipdescription
open class NSRelationshipDescription: NSPropertyDescription {
    /// The entity of the objects at the other end. Not retained: a model owns its entities.
    public final var destinationEntity: NSEntityDescription? {
        get { destination }
        set {
            requireMutable()
            destination = newValue
        }
    }

    /// The relationship that leads back. Not retained. Set it on both sides.
    public final var inverseRelationship: NSRelationshipDescription? {
        get { inverse }
        set {
            requireMutable()
            inverse = newValue
            namedInverse = nil
        }
    }

    /// The most objects that may be related; 0 for any number, 1 for a to-one relationship.
    open var maxCount: Int = 0 { willSet { requireMutable() } }

    /// The fewest objects that may be related, unless there are none and the relationship is optional. A mandatory
    /// to-many relationship with a minimum of 0 may be empty.
    open var minCount: Int = 0 { willSet { requireMutable() } }

    /// The rule for the other end when this end's object is deleted.
    open var deleteRule: NSDeleteRule = .nullifyDeleteRule { willSet { requireMutable() } }

    /// Whether a to-many relationship is ordered.
    open var isOrdered: Bool = false { willSet { requireMutable() } }

    /// Whether more than one object may be related.
    open var isToMany: Bool { maxCount != 1 }

    @WeaklyReferenced private var destination: NSEntityDescription?
    @WeaklyReferenced private var inverse: NSRelationshipDescription?
    /// The name of the destination in the archive that this was decoded from.
    package private(set) var decodedDestination: String?
    /// The name of the inverse in the archive that this was decoded from, or of the inverse of what this is a copy of,
    /// until another one is set.
    package private(set) var namedInverse: String?

    /// The hash of what every property has, and of destination, inverse, counts and order.
    open override var versionHash: Data { super.versionHash }

    package override func encodeContents(into coder: NSCoder) {
        super.encodeContents(into: coder)
        coder.encode(maxCount, forKey: "NSMaxCount")
        coder.encode(minCount, forKey: "NSMinCount")
        coder.encode(Int(deleteRule.rawValue), forKey: "NSDeleteRule")
        coder.encode(isOrdered, forKey: "NSIsOrdered")
        coder.encode(text: destinationEntity?.name ?? decodedDestination, forKey: "NSDestinationEntityName")
        coder.encode(text: inverseRelationship?.name ?? namedInverse, forKey: "NSInverseRelationshipName")
    }

    package override func decodeContents(from coder: NSCoder) {
        super.decodeContents(from: coder)
        maxCount = coder.decodeInteger(forKey: "NSMaxCount")
        minCount = coder.decodeInteger(forKey: "NSMinCount")
        deleteRule = NSDeleteRule(rawValue: UInt(bitPattern: coder.decodeInteger(forKey: "NSDeleteRule")))
            ?? .nullifyDeleteRule
        isOrdered = coder.decodeBool(forKey: "NSIsOrdered")
        decodedDestination = coder.text(forKey: "NSDestinationEntityName")
        namedInverse = coder.text(forKey: "NSInverseRelationshipName")
    }

    package override func makeEmptyCopy() -> NSPropertyDescription { NSRelationshipDescription() }

    package override func copyContents(to copy: NSPropertyDescription) {
        super.copyContents(to: copy)
        guard let copy = copy as? NSRelationshipDescription else { return }
        copy.destinationEntity = destinationEntity
        copy.inverseRelationship = inverseRelationship
        copy.namedInverse = inverseRelationship?.name ?? namedInverse
        copy.maxCount = maxCount
        copy.minCount = minCount
        copy.deleteRule = deleteRule
        copy.isOrdered = isOrdered
    }
}
