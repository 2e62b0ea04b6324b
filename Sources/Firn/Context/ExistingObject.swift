import FirnStore
import FirnModel
import FirnRuntime

/// What an instance is that a context makes of what its store or its parent has.
struct ExistingObject {
    let key: ObjectKey
    /// Nil for an object of a store that was found by its key.
    let identity: UncountedReference<NSManagedObjectID>?
}
