#if SwiftData
/// Backing data of the stores that come with this module. A subclass and its superclass have one each for the same
/// storage. A reference and nothing more: a model holds it without a box.
struct ModelBackingData<Model: PersistentModel>: BackingData {
    let storage: ModelStorage

    init(_ storage: ModelStorage) { self.storage = storage }

    var modelStorage: AnyObject? { storage }

    init(for modelType: Model.Type) { self.init(ModelStorage(newOf: modelType)) }

    var persistentModelID: PersistentIdentifier? {
        get { storage.identifier }
        nonmutating set { if let newValue { storage.identifier = newValue } }
    }

    var metadata: Any { storage.shape.entityName }

    /// The value of an attribute.
    @_disfavoredOverload
    func getValue<Value: Decodable>(forKey: KeyPath<Model, Value>) -> Value {
        storage.attribute(forKey)
    }

    /// The model of a to-one relationship.
    func getValue<Value: PersistentModel>(forKey: KeyPath<Model, Value>) -> Value {
        storage.model(forKey)
    }

    /// The model of an optional to-one relationship.
    func getValue<Value: PersistentModel>(forKey: KeyPath<Model, Value?>) -> Value? {
        storage.optionalModel(forKey)
    }

    /// The models of a to-many relationship.
    func getValue<Value, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
    where Value: RelationshipCollection, OtherModel == Value.PersistentElement {
        storage.models(forKey)
    }

    /// The models of a to-many relationship, where models are `Decodable`.
    func getValue<Value, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
    where Value: Decodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement {
        storage.models(forKey)
    }

    /// The value of an attribute that a `ValueTransformer` stores.
    func getTransformableValue<Value>(forKey: KeyPath<Model, Value>) -> Value {
        storage.transformable(forKey)
    }

    /// Sets an attribute.
    @_disfavoredOverload
    func setValue<Value: Encodable>(forKey: KeyPath<Model, Value>, to newValue: Value) {
        storage.setAttribute(newValue, forKey)
    }

    /// Sets a to-one relationship.
    func setValue<Value: PersistentModel>(forKey: KeyPath<Model, Value>, to newValue: Value) {
        storage.setModel(newValue, forKey)
    }

    /// Sets an optional to-one relationship.
    func setValue<Value: PersistentModel>(forKey: KeyPath<Model, Value?>, to newValue: Value?) {
        storage.setModel(newValue, forKey)
    }

    /// Sets a to-many relationship.
    func setValue<Value, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
    where Value: RelationshipCollection, OtherModel == Value.PersistentElement {
        storage.setModels(newValue, forKey)
    }

    /// Sets a to-many relationship, where models are `Encodable`.
    func setValue<Value, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
    where Value: Encodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement {
        storage.setModels(newValue, forKey)
    }

    /// Sets an attribute that a `ValueTransformer` stores.
    func setTransformableValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) {
        storage.setTransformable(newValue, forKey)
    }
}
#endif
