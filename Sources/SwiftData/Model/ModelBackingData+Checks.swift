#if SwiftData
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
