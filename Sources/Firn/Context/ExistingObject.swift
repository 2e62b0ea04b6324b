import FirnStore
import FirnModel
import FirnRuntime

/// The identity and entity of an instance that a context makes for an object of its store or its parent.
struct ExistingObject {
    let key: ObjectKey
    /// Nil for an object of a store that was found by its key.
    let identity: UncountedReference<NSManagedObjectID>?
}
