#if SwiftData
public import Observation

/// Where a model has its values.
///
/// https://developer.apple.com/documentation/swiftdata/backingdata
public protocol BackingData<Model> {
    /// The model's class.
    associatedtype Model: PersistentModel

    /// Backing data of a new model.
    init(for modelType: Model.Type)
    /// The model's identifier.
    var persistentModelID: PersistentIdentifier? { get set }
    /// The storage of a model, for backing data that come with this module; else nil. Ours, not Apple's.
    var modelStorage: AnyObject? { get }
    /// The metadata of the model's entity.
    var metadata: Any { get }

    /// The value of an attribute. Other forms come first: a model may be `Codable`.
    @_disfavoredOverload
    func getValue<Value: Decodable>(forKey: KeyPath<Model, Value>) -> Value
    /// The model of a to-one relationship.
    func getValue<Value: PersistentModel>(forKey: KeyPath<Model, Value>) -> Value
    /// The model of an optional to-one relationship.
    func getValue<Value: PersistentModel>(forKey: KeyPath<Model, Value?>) -> Value?
    /// The models of a to-many relationship.
    func getValue<Value, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
    where Value: RelationshipCollection, OtherModel == Value.PersistentElement
    /// The models of a to-many relationship, where models are `Decodable`.
    func getValue<Value, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
    where Value: Decodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement
    /// The value of an attribute that a `ValueTransformer` stores.
    func getTransformableValue<Value>(forKey: KeyPath<Model, Value>) -> Value

    /// Sets an attribute. Other forms come first: a model may be `Codable`.
    @_disfavoredOverload
    func setValue<Value: Encodable>(forKey: KeyPath<Model, Value>, to newValue: Value)
    /// Sets a to-one relationship.
    func setValue<Value: PersistentModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
    /// Sets an optional to-one relationship.
    func setValue<Value: PersistentModel>(forKey: KeyPath<Model, Value?>, to newValue: Value?)
    /// Sets a to-many relationship.
    func setValue<Value, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
    where Value: RelationshipCollection, OtherModel == Value.PersistentElement
    /// Sets a to-many relationship, where models are `Encodable`.
    func setValue<Value, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
    where Value: Encodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement
    /// Sets an attribute that a `ValueTransformer` stores.
    func setTransformableValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value)
}

extension BackingData {
    /// Nil: backing data of one's own have their values themselves.
    public var modelStorage: AnyObject? { nil }
}

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
