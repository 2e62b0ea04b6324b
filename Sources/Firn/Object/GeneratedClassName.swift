import FirnRuntime

/// The class behind a name that only Objective-C knows: `@objc(Order) class CDOrder`. For each such name the plugin
/// `PortedSources` writes a subclass of this one, `Order_ClassName`, which is found by its name.
open class GeneratedClassName {
    /// The class that models name so, if it is one of managed objects.
    open class var objectClass: AnyClass { NSManagedObject.self }

    static func objectClass(named name: String) -> NSManagedObject.Type? {
        LoadedClasses.all(named: name + "_ClassName").lazy.compactMap { $0 as? GeneratedClassName.Type }.first?
            .objectClass as? NSManagedObject.Type
    }
}
