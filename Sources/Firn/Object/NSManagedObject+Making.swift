package import FirnModel
import FirnRuntime

/// Managed objects, to those who make them by a class known only as `Self`: see `ManagedObjectMaking` in `CoreData`.
public protocol ManagedObjectMaking {}

/// Objects of a class that is known only when the program runs.
extension NSManagedObject {
    /// Calls `init(entity:insertInto:)` of the class `type`, its own override if it has one.
    ///
    /// A subclass that declares designated initializers of its own and does not override this one has none to
    /// call: Swift stops the program with "use of unimplemented initializer", as on Apple's systems.
    package static func make(
        _ type: NSManagedObject.Type, entity: NSEntityDescription,
        insertInto context: NSManagedObjectContext?
    ) -> NSManagedObject {
        guard let object = ObjectClass.make(type, entity, context) else {
            fatalError("an initializer that cannot fail gave no object of \(type)")
        }
        return unsafeDowncast(object, to: NSManagedObject.self)
    }

    /// An object of the entity that the class `type` stands for.
    package static func make(_ type: NSManagedObject.Type, context: NSManagedObjectContext) -> NSManagedObject {
        make(type, entity: type.entity(in: context), insertInto: context)
    }

    /// Makes an object for `ObjectClass.make`, with any subclass as `Self`: a convenience initializer finds the
    /// designated one in the dynamic class. Its name is the one that `making.h` declares.
    @_silgen_name("firn_make_object")
    @usableFromInline
    convenience init(making entity: NSEntityDescription, in context: NSManagedObjectContext?) {
        self.init(entity: entity, insertInto: context)
    }
}
