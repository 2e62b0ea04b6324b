import FirnRuntime
import Foundation

/// Whether a class overrides `validateValue(_:forKey:)`. For one that does not, a save checks values in the form in
/// which they are held, and makes no object of each.
enum ValidationOverride {
    private class Plain: NSManagedObject {}

    private final class Overriding: NSManagedObject {
        override func validateValue(
            _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String
        ) throws {
            try super.validateValue(value, forKey: key)
        }
    }

    private static let place = MethodPlace(in: NSManagedObject.self, plain: Plain.self, overriding: Overriding.self)

    /// True also where the method's place could not be found.
    @inline(__always)
    static func exists(in type: NSManagedObject.Type) -> Bool { place?.isOverridden(in: type) ?? true }
}
