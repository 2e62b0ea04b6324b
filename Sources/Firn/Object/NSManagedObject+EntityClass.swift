package import FirnModel
import FirnRuntime

/// Objects that are made as one class, of an entity whose class is a subclass of it.
extension NSManagedObject {
    /// The entity's class, if it is a subclass of this one; else this one.
    package static func refined(by entity: NSEntityDescription) -> NSManagedObject.Type {
        let wanted = entity.objectClass
        return wanted != self && wanted.isSubclass(of: self) ? wanted : self
    }

    private static func isSubclass(of other: NSManagedObject.Type) -> Bool {
        var current: AnyClass? = self
        while let type = current {
            if type == other { return true }
            current = _getSuperclass(type)
        }
        return false
    }

    /// Makes the object one of its entity's class, which is what Core Data's initializer gives.
    ///
    /// An initializer of Swift's cannot give another object. What it can do is to give the object that it has the other
    /// class, as key-value observing does on Apple's systems: the first word of an object names its class. That takes a
    /// class that adds no stored properties, so that its objects are as large. Its own override of the initializer is
    /// not called.
    @inline(never)
    final func adoptClass(of entity: NSEntityDescription) {
        let wanted = type(of: self).refined(by: entity)
        if wanted != type(of: self) { _ = ObjectClass.change(self, to: wanted) }
    }
}
