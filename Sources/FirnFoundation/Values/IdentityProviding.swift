package import Foundation

/// An object that has an order among some of its kind.
package protocol PartiallyOrdered: AnyObject {
    /// The order of two objects; nil where there is none.
    func order(to other: AnyObject) -> ComparisonResult?
}

/// An object that equals every object with the same identity. A managed object equals its object ID in `SELF == %@`, in
/// `IN` and in a set.
package protocol IdentityProviding: AnyObject {
    /// The object that is compared instead of this one. An identity's identity is itself.
    var comparisonIdentity: AnyObject { get }
}
