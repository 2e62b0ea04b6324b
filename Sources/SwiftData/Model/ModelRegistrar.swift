#if SwiftData
public import Observation

/// The observers of the properties that one class of a model declares. A model has none until one of them is read:
/// nobody observes it before. Ours, not Apple's.
///
/// A class around Observation's structure, whose size that module keeps to itself: whatever holds it asks for the size
/// with each look.
public final class ModelRegistrar {
    let registrar = ObservationRegistrar()

    /// A registrar without observers.
    public init() {}

    /// Notes that a property is read, for who observes what is read now.
    public func access<Model: Observable, Value>(_ model: Model, keyPath: KeyPath<Model, Value>) {
        registrar.access(model, keyPath: keyPath)
    }

    /// Changes a property, and tells its observers before and after.
    public func withMutation<Model: Observable, Value, Result>(
        of model: Model, keyPath: KeyPath<Model, Value>, _ mutation: () throws -> Result
    ) rethrows -> Result {
        try registrar.withMutation(of: model, keyPath: keyPath, mutation)
    }
}
#endif
