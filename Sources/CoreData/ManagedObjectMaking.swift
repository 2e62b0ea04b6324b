public import Firn

/// The initializers by which `Self(context:)`, `T(context:)` and their like compile where only a superclass or a
/// generic parameter is known, as they do with Objective-C's classes.
///
/// A class of Swift's can be made so only by a `required` initializer, which every subclass with a designated one of
/// its own would have to write. An initializer of a protocol may put any object in place of `self`; it asks the class
/// that it is called on, and that finds its own `init(entity:insertInto:)`. With a variable that holds a class, such as
/// `let type: NSManagedObject.Type`, it is the variable's type that counts, not what it holds.
extension ManagedObjectMaking {
    /// Inserts a new object of the entity whose class this is.
    public init(context moc: NSManagedObjectContext) {
        self = Self.made { NSManagedObject.make($0, context: moc) }
    }

    /// Makes an object of `entity` and, with a context, inserts it there. The object is of the entity's class where
    /// that is a subclass of this one.
    public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        self = Self.made { NSManagedObject.make($0.refined(by: entity), entity: entity, insertInto: context) }
    }

    private static func made(_ make: (NSManagedObject.Type) -> NSManagedObject) -> Self {
        guard let objectClass = Self.self as? NSManagedObject.Type else { misuse() }
        let object = make(objectClass)
        guard type(of: object) == objectClass else { return cast(object) }
        // Nearly always: a cast would take as long as making the object.
        return unsafeBitCast(object, to: Self.self)
    }

    @inline(never)
    private static func cast(_ object: NSManagedObject) -> Self {
        guard let object = object as? Self else { misuse() }
        return object
    }

    @inline(never)
    private static func misuse() -> Never {
        fatalError("\(Self.self) is no subclass of NSManagedObject: only those are made so")
    }
}

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
