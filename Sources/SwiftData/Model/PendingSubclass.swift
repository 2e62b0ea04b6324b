#if SwiftData
import FirnRuntime

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
