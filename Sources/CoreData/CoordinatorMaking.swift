public import Firn

/// The initializer of a coordinator where its class is known only as `Self`, as in a static method of an extension:
/// `self.init(managedObjectModel: model)`. See `ManagedObjectMaking`.
extension CoordinatorMaking {
    /// A coordinator without stores. A subclass is made by its own name.
    public init(managedObjectModel model: NSManagedObjectModel) {
        guard let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model) as? Self else {
            fatalError(
                "self.init(managedObjectModel:) in a method of the superclass makes no \(Self.self): override the "
                    + "method there, and call \(Self.self)(managedObjectModel:)")
        }
        self = coordinator
    }
}
