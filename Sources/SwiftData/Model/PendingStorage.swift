#if SwiftData
import FirnRuntime

/// The storage that a model which is being made of a managed object will have.
///
/// A model's class gives its backing data a first value, before its initializer sets the one that it is handed. With
/// this, the first one is of the same storage, and none is made in vain.
///
/// One for each thread: look it up once for many models.
final class PendingStorage {
    private var storage: ModelStorage?
    /// The class that asks next: the model's, then its superclass.
    private var shape: ModelShape?

    private static let pending = ThreadLocal<PendingStorage>()

    /// This thread's.
    static var current: PendingStorage {
        if let known = pending.object { return known }
        let made = PendingStorage()
        pending.set(made)
        return made
    }

    /// Calls `make`, the initializer of a model's class.
    @inline(__always)
    func making<Model>(_ storage: ModelStorage, _ make: () -> Model) -> Model {
        let (oldStorage, oldShape) = (self.storage, shape)
        self.storage = storage
        shape = storage.shape
        storage.isBeingMade = true
        let model = make()
        storage.isBeingMade = false
        self.storage = oldStorage
        shape = oldShape
        return model
    }

    /// The storage of the model that is being made, if it asks for one of `type` next.
    static func next(for type: any PersistentModel.Type) -> ModelStorage? {
        guard let pending = pending.object, let shape = pending.shape, shape.identifier == ObjectIdentifier(type) else {
            return nil
        }
        pending.shape = shape.superclass
        return pending.storage
    }
}
#endif
