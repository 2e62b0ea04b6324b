package import Foundation

/// An object that has an order among some of its kind.
package protocol PartiallyOrdered: AnyObject {
    /// The order of two objects; nil where there is none.
    func order(to other: AnyObject) -> ComparisonResult?
}

/// An object that is equal to whatever has the same identity: a managed object and its object ID
/// are one thing in `SELF == %@`, in `IN` and in the members of a set.
package protocol IdentityProviding: AnyObject {
    /// What stands for the object in comparisons. An identity's identity is itself.
    var comparisonIdentity: AnyObject { get }
}
