#if SwiftData
// What the accessors of `@Model` call: for who observes what is read now, and with the model whose backing data it is.
// Ours, not Apple's.
extension ModelBackingData {
    /// The value of an attribute.
    @_disfavoredOverload
    public func getValue<Value: Decodable>(
        forKey: KeyPath<Model, Value>, of model: Model, observedBy registrar: ModelRegistrar
    ) -> Value {
        registrar.access(model, keyPath: forKey)
        return storage.attribute(forKey)
    }

    /// The model of a to-one relationship.
    public func getValue<Value: PersistentModel>(
        forKey: KeyPath<Model, Value>, of model: Model, observedBy registrar: ModelRegistrar
    ) -> Value {
        registrar.access(model, keyPath: forKey)
        return storage.model(forKey)
    }

    /// The model of an optional to-one relationship.
    public func getValue<Value: PersistentModel>(
        forKey: KeyPath<Model, Value?>, of model: Model, observedBy registrar: ModelRegistrar
    ) -> Value? {
        registrar.access(model, keyPath: forKey)
        return storage.optionalModel(forKey)
    }

    /// The models of a to-many relationship.
    public func getValue<Value: RelationshipCollection>(
        forKey: KeyPath<Model, Value>, of model: Model, observedBy registrar: ModelRegistrar
    ) -> Value {
        registrar.access(model, keyPath: forKey)
        return storage.models(forKey)
    }

    /// The value of an attribute, to be changed and then set.
    @_disfavoredOverload
    public func editableValue<Value: Decodable>(
        forKey: KeyPath<Model, Value>, of model: Model, observedBy registrar: ModelRegistrar
    ) -> Value {
        getValue(forKey: forKey, of: model, observedBy: registrar)
    }

    /// The models of a to-many relationship, to be changed in place and then set.
    public func editableValue<Value: RelationshipCollection>(
        forKey: KeyPath<Model, Value>, of model: Model, observedBy registrar: ModelRegistrar
    ) -> Value {
        registrar.access(model, keyPath: forKey)
        return storage.editableModels(forKey)
    }

    /// The value of an attribute that a `ValueTransformer` stores.
    public func getTransformableValue<Value>(
        forKey: KeyPath<Model, Value>, of model: Model, observedBy registrar: ModelRegistrar
    ) -> Value {
        registrar.access(model, keyPath: forKey)
        return storage.transformable(forKey)
    }

    /// Sets an attribute.
    @_disfavoredOverload
    public func setValue<Value: Encodable>(forKey: KeyPath<Model, Value>, to newValue: Value, of model: Model) {
        storage.setAttribute(newValue, forKey)
    }

    /// Sets a to-one relationship.
    public func setValue<Value: PersistentModel>(forKey: KeyPath<Model, Value>, to newValue: Value, of model: Model) {
        model.setValue(forKey: forKey, to: newValue)
    }

    /// Sets an optional to-one relationship.
    public func setValue<Value: PersistentModel>(
        forKey: KeyPath<Model, Value?>, to newValue: Value?, of model: Model
    ) {
        model.setValue(forKey: forKey, to: newValue)
    }

    /// Sets a to-many relationship.
    public func setValue<Value: RelationshipCollection>(
        forKey: KeyPath<Model, Value>, to newValue: Value, of model: Model
    ) {
        model.setValue(forKey: forKey, to: newValue)
    }

    /// Sets an attribute that a `ValueTransformer` stores.
    public func setTransformableValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value, of model: Model) {
        storage.setTransformable(newValue, forKey)
    }
}
#endif
