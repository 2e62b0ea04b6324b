#if SwiftData
extension PersistentModel {
    /// Backing data of a new model: what `@Model` gives a class's objects. `createBackingData()` has an opaque result,
    /// whose type would be looked up for each object. Ours, not Apple's.
    public static func newBackingData() -> ModelBackingData<Self> {
        let known = PendingStorage.next(for: Self.self) ?? PendingSubclass.pop(below: Self.self)
        return ModelBackingData<Self>(known ?? ModelStorage(newOf: Self.self))
    }

    /// Backing data of a new model.
    public static func createBackingData<P: PersistentModel>() -> some BackingData<P> {
        ModelBackingData<P>(PendingSubclass.pop(below: P.self) ?? ModelStorage(newOf: P.self))
    }

    /// The context that the model is in; nil before it is inserted, and once its deletion is saved.
    public var modelContext: ModelContext? { storage.context }

    /// The model's identifier. It is temporary until the model is saved.
    public var persistentModelID: PersistentIdentifier { storage.identifier }

    /// The model's identifier.
    public var id: PersistentIdentifier { storage.identifier }

    /// Whether the model was inserted, changed or deleted since the last save.
    public var hasChanges: Bool { storage.hasChanges }

    /// Whether the model was deleted. It stays so when the deletion is saved; the last values can still be read.
    public var isDeleted: Bool { storage.isDeleted }

    /// The storage that `@Model` gives a class without a look at its backing data. Ours, not Apple's.
    public var modelStorage: AnyObject { ModelBackingData<Self>(persistentBackingData).storage }

    /// The model's values, which know the model from now on.
    var storage: ModelStorage {
        guard let storage = modelStorage as? ModelStorage else {
            fatalError("\(Self.self) has no storage of this module: \(type(of: modelStorage))")
        }
        if storage.object == nil { storage.register(self) }
        return storage
    }
}
#endif
