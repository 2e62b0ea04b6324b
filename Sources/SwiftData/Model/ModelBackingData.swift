#if SwiftData
/// Backing data of the stores that come with this module. A subclass and its superclass have one each for the same
/// storage. A reference and nothing more: a model holds it without a box.
public struct ModelBackingData<Model: PersistentModel>: BackingData {
    /// The model's values.
    public let storage: ModelStorage

    init(_ storage: ModelStorage) { self.storage = storage }

    /// Backing data of a model of this module. Stops for those of another kind.
    public init(_ data: any BackingData<Model>) {
        guard let storage = data.modelStorage as? ModelStorage else {
            fatalError("\(Model.self) has backing data of another kind: \(type(of: data))")
        }
        self.storage = storage
    }

    /// The model's values.
    public var modelStorage: AnyObject? { storage }

    /// Backing data of a new model.
    public init(for modelType: Model.Type) { self.init(ModelStorage(newOf: modelType)) }

    /// The model's identifier.
    public var persistentModelID: PersistentIdentifier? {
        get { storage.identifier }
        nonmutating set { if let newValue { storage.identifier = newValue } }
    }

    /// The name of the model's entity.
    public var metadata: Any { storage.shape.entityName }

    /// The value of an attribute.
    @_disfavoredOverload
    public func getValue<Value: Decodable>(forKey: KeyPath<Model, Value>) -> Value {
        storage.attribute(forKey)
    }

    /// The model of a to-one relationship.
    public func getValue<Value: PersistentModel>(forKey: KeyPath<Model, Value>) -> Value {
        storage.model(forKey)
    }

    /// The model of an optional to-one relationship.
    public func getValue<Value: PersistentModel>(forKey: KeyPath<Model, Value?>) -> Value? {
        storage.optionalModel(forKey)
    }

    /// The models of a to-many relationship.
    public func getValue<Value, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
    where Value: RelationshipCollection, OtherModel == Value.PersistentElement {
        storage.models(forKey)
    }

    /// The models of a to-many relationship, where models are `Decodable`.
    public func getValue<Value, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
    where Value: Decodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement {
        storage.models(forKey)
    }

    /// The value of an attribute that a `ValueTransformer` stores.
    public func getTransformableValue<Value>(forKey: KeyPath<Model, Value>) -> Value {
        storage.transformable(forKey)
    }

    /// Sets an attribute.
    @_disfavoredOverload
    public func setValue<Value: Encodable>(forKey: KeyPath<Model, Value>, to newValue: Value) {
        storage.setAttribute(newValue, forKey)
    }

    /// Sets a to-one relationship.
    public func setValue<Value: PersistentModel>(forKey: KeyPath<Model, Value>, to newValue: Value) {
        storage.setModel(newValue, forKey)
    }

    /// Sets an optional to-one relationship.
    public func setValue<Value: PersistentModel>(forKey: KeyPath<Model, Value?>, to newValue: Value?) {
        storage.setModel(newValue, forKey)
    }

    /// Sets a to-many relationship.
    public func setValue<Value, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
    where Value: RelationshipCollection, OtherModel == Value.PersistentElement {
        storage.setModels(newValue, forKey)
    }

    /// Sets a to-many relationship, where models are `Encodable`.
    public func setValue<Value, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
    where Value: Encodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement {
        storage.setModels(newValue, forKey)
    }

    /// Sets an attribute that a `ValueTransformer` stores.
    public func setTransformableValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) {
        storage.setTransformable(newValue, forKey)
    }
}

// What `@Model` calls so that the compiler checks relationships. The key paths are never made. Ours, not Apple's.
extension ModelBackingData {
    /// A relationship leads to a model.
    public func check<Value: PersistentModel>(relationship: @autoclosure () -> KeyPath<Model, Value>) {}

    /// A relationship leads to a model, or to none.
    public func check<Value: PersistentModel>(relationship: @autoclosure () -> KeyPath<Model, Value?>) {}

    /// A relationship leads to many models.
    public func check<Value: RelationshipCollection>(relationship: @autoclosure () -> KeyPath<Model, Value>) {}

    /// Refuses a value.
    @available(
        *, unavailable,
        message: "a relationship leads to a model, or to an array of models: for a value, write @Attribute"
    )
    @_disfavoredOverload
    public func check<Value>(relationship: @autoclosure () -> KeyPath<Model, Value>) {}

    /// An inverse leads to a model.
    public func check<Other, Value: PersistentModel>(inverse: @autoclosure () -> KeyPath<Other, Value>) {}

    /// An inverse leads to a model, or to none.
    public func check<Other, Value: PersistentModel>(inverse: @autoclosure () -> KeyPath<Other, Value?>) {}

    /// An inverse leads to many models.
    public func check<Other, Value: RelationshipCollection>(inverse: @autoclosure () -> KeyPath<Other, Value>) {}

    /// Refuses an attribute.
    @available(
        *, unavailable, message: "the inverse of a relationship is one that leads back: this is an attribute"
    )
    @_disfavoredOverload
    public func check<Other, Value>(inverse: @autoclosure () -> KeyPath<Other, Value>) {}
}
#endif
