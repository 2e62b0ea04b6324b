import FirnFoundation
package import FirnModel
import FirnProjection

/// What stands for the object in predicates: it equals its ID, in memory and in SQL.
extension NSManagedObject: ObjectIdentifying, IdentityProviding {
    package final var objectIdentity: NSManagedObjectID { identity }
    package final var comparisonIdentity: AnyObject { identity }
}
