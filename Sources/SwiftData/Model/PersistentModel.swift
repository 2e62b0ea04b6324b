#if SwiftData
public import Observation

/// A class whose objects are saved: what `@Model` makes of one.
///
/// https://developer.apple.com/documentation/swiftdata/persistentmodel
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype {
    /// The root class of the model's classes.
    associatedtype Root: PersistentModel = Self

    /// Makes the object of a model that a store has.
    init(backingData: any BackingData<Self>)
    /// Where the model has its values.
    var persistentBackingData: any BackingData<Self> { get set }
    /// The properties that the class declares.
    static var schemaMetadata: [Schema.PropertyMetadata] { get }
}

extension PersistentModel {
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

    /// Two models are equal if they are the same object.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs === rhs }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// The model's backing data, if it is of this module.
    var storage: ModelStorage {
        guard let storage = (persistentBackingData as? StorageHolder)?.storage else {
            fatalError("\(Self.self) has backing data of another kind: \(type(of: persistentBackingData))")
        }
        storage.register(self)
        return storage
    }
}
#endif
