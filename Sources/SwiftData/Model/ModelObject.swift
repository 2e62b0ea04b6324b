#if SwiftData
import Firn
import FirnFoundation
import FirnRuntime
import Foundation

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

/// The order of `persistentModelID` in a fetch: as a store has it, new models last.
extension ModelObject: PartiallyOrdered {
    func order(to other: AnyObject) -> ComparisonResult? {
        guard let other = other as? ModelObject else { return nil }
        if precedes(other) { return .orderedAscending }
        return other.precedes(self) ? .orderedDescending : .orderedSame
    }
}
#endif
