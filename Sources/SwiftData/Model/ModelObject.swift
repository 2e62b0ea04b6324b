#if SwiftData
import Firn

/// The managed object of a model.
final class ModelObject: NSManagedObject {
    /// The model, while anybody has it.
    weak var model: (any PersistentModel)?
}
#endif
