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
    /// The values of the model, in backing data that come with this module. Ours, not Apple's.
    var modelStorage: AnyObject { get }
    /// The properties that the class declares.
    static var schemaMetadata: [Schema.PropertyMetadata] { get }
}

extension PersistentModel {
    /// The backing data of a model of any class.
    var anyBackingData: any BackingData { persistentBackingData }

    /// Two models are equal if they are the same object.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs === rhs }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
#endif
