import FirnFoundation
import FirnModel

/// The identity that stands for the object in predicates: it equals its ID, in memory and in SQL.
extension NSManagedObject: IdentityProviding {
    package final var comparisonIdentity: AnyObject { identity.current }
}

extension NSManagedObject: RelationshipDescribing {
    package final func isToMany(_ keys: [String]) -> Bool { entity.isToMany(keys) }
}
