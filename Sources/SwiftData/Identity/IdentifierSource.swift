#if SwiftData
import Firn
import FirnModel

/// A store that gives its objects identifiers of its own.
protocol IdentifierSource: NSIncrementalStore {
    /// The identifier of an object.
    func identifier(of objectID: NSManagedObjectID) -> PersistentIdentifier
    /// The ID of the object that has an identifier of this store; nil if the store does not have its entity.
    func objectID(for identifier: PersistentIdentifier) -> NSManagedObjectID?
}
#endif
