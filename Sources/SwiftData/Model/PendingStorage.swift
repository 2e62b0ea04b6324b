#if SwiftData
import FirnRuntime

/// The storage that a model which is being made of a managed object will have.
///
/// A model's class gives its backing data a first value, before its initializer sets the one that it is handed. With
/// this, the first one is of the same storage, and none is made in vain.
enum PendingStorage {
    private final class Expected {
        var storage: ModelStorage?
        /// The class that asks next: the model's, then its superclass.
        var shape: ModelShape?
    }

    private static let expected = ThreadLocal<Expected>()

    /// Calls `make`, the initializer of a model's class.
    static func making<Model>(_ storage: ModelStorage, _ make: () -> Model) -> Model {
        let expected = ours()
        let (oldStorage, oldShape) = (expected.storage, expected.shape)
        expected.storage = storage
        expected.shape = storage.shape
        storage.isBeingMade = true
        let model = make()
        storage.isBeingMade = false
        expected.storage = oldStorage
        expected.shape = oldShape
        return model
    }

    /// The storage of the model that is being made, if it asks for one of `type` next.
    static func next(for type: any PersistentModel.Type) -> ModelStorage? {
        guard let expected = expected.object, let shape = expected.shape, shape.type == type else { return nil }
        expected.shape = shape.superclass
        return expected.storage
    }

    private static func ours() -> Expected {
        if let known = expected.object { return known }
        let made = Expected()
        expected.set(made)
        return made
    }
}
#endif
