/// An object that is equal to whatever has the same identity: a managed object and its object ID
/// are one thing in `SELF == %@`, in `IN` and in the members of a set.
package protocol IdentityProviding: AnyObject {
    /// What stands for the object in comparisons. An identity's identity is itself.
    var comparisonIdentity: AnyObject { get }
}
