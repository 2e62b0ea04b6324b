import Foundation

/// An object's own value for one slot. `unset` means: as in the object's snapshot. An object keeps it as `SlotValues`
/// does.
enum SlotValue {
    case unset
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob(Data)
    /// A value that is not one of the above: a transformed or transient object, a decimal, a URL, a UUID.
    case boxed(Box)
    case toOne(NSManagedObject)
    case toMany(Members)

    var isUnset: Bool { if case .unset = self { true } else { false } }

    final class Box {
        let value: Any
        init(_ value: Any) { self.value = value }
    }
}
