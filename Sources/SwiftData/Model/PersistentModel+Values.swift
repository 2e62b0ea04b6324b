#if SwiftData
// What `@Model` makes accessors call.
extension PersistentModel {
    /// The value of an attribute.
    @_disfavoredOverload
    public func getValue<Value: Decodable>(forKey: KeyPath<Self, Value>) -> Value {
        storage.attribute(forKey)
    }

    /// The model of a to-one relationship.
    public func getValue<Value: PersistentModel>(forKey: KeyPath<Self, Value>) -> Value {
        storage.model(forKey)
    }

    /// The model of an optional to-one relationship.
    public func getValue<Value: PersistentModel>(forKey: KeyPath<Self, Value?>) -> Value? {
        storage.optionalModel(forKey)
    }

    /// The models of a to-many relationship.
    public func getValue<Value, OtherModel>(forKey: KeyPath<Self, Value>) -> Value
    where Value: RelationshipCollection, OtherModel == Value.PersistentElement {
        storage.models(forKey)
    }

    /// The models of a to-many relationship, where models are `Decodable`.
    public func getValue<Value, OtherModel>(forKey: KeyPath<Self, Value>) -> Value
    where Value: Decodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement {
        storage.models(forKey)
    }

    /// The value of an attribute that a `ValueTransformer` stores.
    public func getTransformableValue<Value>(forKey: KeyPath<Self, Value>) -> Value {
        storage.transformable(forKey)
    }

    /// Sets an attribute.
    @_disfavoredOverload
    public func setValue<Value: Encodable>(forKey: KeyPath<Self, Value>, to newValue: Value) {
        storage.setAttribute(newValue, forKey)
    }

    /// Sets a to-one relationship.
    public func setValue<Value: PersistentModel>(forKey: KeyPath<Self, Value>, to newValue: Value) {
        storage.setModel(newValue, forKey, owner: self)
    }

    /// Sets an optional to-one relationship.
    public func setValue<Value: PersistentModel>(forKey: KeyPath<Self, Value?>, to newValue: Value?) {
        storage.setModel(newValue, forKey, owner: self)
    }

    /// Sets a to-many relationship.
    public func setValue<Value, OtherModel>(forKey: KeyPath<Self, Value>, to newValue: Value)
    where Value: RelationshipCollection, OtherModel == Value.PersistentElement {
        storage.setModels(newValue, forKey, owner: self)
    }

    /// Sets a to-many relationship, where models are `Encodable`.
    public func setValue<Value, OtherModel>(forKey: KeyPath<Self, Value>, to newValue: Value)
    where Value: Encodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement {
        storage.setModels(newValue, forKey, owner: self)
    }

    /// Sets an attribute that a `ValueTransformer` stores.
    public func setTransformableValue<Value>(forKey: KeyPath<Self, Value>, to newValue: Value) {
        storage.setTransformable(newValue, forKey)
    }
}

// What accessors of a property call whose type no store has. The compiler names the reason; else it would list what the
// other forms require.

extension PersistentModel {
    /// Refuses a property whose values cannot be saved.
    @available(
        *, unavailable,
        message: "a property is Codable or leads to models: make its type Codable, or mark it @Transient"
    )
    public func getValue<Value>(forKey: KeyPath<Self, Value>) -> Value {
        fatalError("mark the property @Transient")
    }

    /// Refuses a property whose values cannot be saved.
    @available(
        *, unavailable,
        message: "a property is Codable or leads to models: make its type Codable, or mark it @Transient"
    )
    public func setValue<Value>(forKey: KeyPath<Self, Value>, to newValue: Value) {
        fatalError("mark the property @Transient")
    }
}

extension BackingData {
    /// Refuses a property whose values cannot be saved.
    @available(
        *, unavailable,
        message: "a property is Codable or leads to models: make its type Codable, or mark it @Transient"
    )
    public func setValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) {
        fatalError("mark the property @Transient")
    }
}
#endif
