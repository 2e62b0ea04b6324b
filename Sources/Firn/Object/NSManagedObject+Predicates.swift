import FirnFoundation
import FirnModel

/// What stands for the object in predicates: it equals its ID, in memory and in SQL.
extension NSManagedObject: IdentityProviding {
    package final var comparisonIdentity: AnyObject { identity.current }
}
