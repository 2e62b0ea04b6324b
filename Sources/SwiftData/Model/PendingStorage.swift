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

/// Storages of subclasses whose superclass's initializer has not run yet.
///
/// A subclass gives its own properties their values before it calls `super.init`, and has a storage for them by then.
/// Its superclass asks for a storage next, on the same thread, and gets that one.
enum PendingSubclass {
    private final class List {
        var storages: [WeakReference<ModelStorage>] = []
    }

    private static let lists = ThreadLocal<List>()

    static func push(_ storage: ModelStorage) {
        let list = lists.object ?? List()
        if lists.object == nil { lists.set(list) }
        list.storages.removeAll { $0.object == nil }
        list.storages.append(WeakReference(storage))
    }

    /// The storage that a subclass of `type` made last.
    static func pop(below type: any PersistentModel.Type) -> ModelStorage? {
        guard let list = lists.object, !list.storages.isEmpty else { return nil }
        guard let storage = list.storages.last?.object else {
            list.storages.removeLast()
            return pop(below: type)
        }
        guard storage.type != type, storage.shape.isKind(of: type) else { return nil }
        // A superclass that is a subclass itself is followed by its own superclass.
        if ModelShape.of(type).superclass == nil { list.storages.removeLast() }
        return storage
    }
}
#endif
