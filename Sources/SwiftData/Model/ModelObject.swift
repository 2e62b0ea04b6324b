#if SwiftData
import Firn
import FirnRuntime

/// The managed object of a model.
final class ModelObject: NSManagedObject {
    /// Not `weak`: every reference to a model would be counted in a side table from then on.
    private var reference: WeakReference<AnyObject>?

    /// The model, while anybody has it.
    var model: (any PersistentModel)? {
        get { reference?.object as? any PersistentModel }
        set { reference = newValue.map { WeakReference($0) } }
    }

    /// The model, if anybody has it and it is of this class.
    func model<Model: PersistentModel>(as type: Model.Type) -> Model? { reference?.object as? Model }

    var hasModel: Bool { reference?.object != nil }
}
#endif
