#if SwiftData
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
