import FirnRuntime

/// The class behind a name that only Objective-C knows: `@objc(Order) class CDOrder`. For each such name the plugin
/// `PortedSources` writes a subclass of this one, `Order_ClassName`, which is found by its name.
open class GeneratedClassName {
    /// The class that models and mapping models name so.
    open class var objectClass: AnyClass { NSManagedObject.self }

    /// The class of a kind that a model or a mapping model names. A module in the name is preferred, not required.
    static func find<Subclass>(_ name: String, as type: Subclass.Type) -> Subclass? {
        LoadedClasses.all(named: name).lazy.compactMap { $0 as? Subclass }.first
            ?? LoadedClasses.all(named: name + "_ClassName").lazy
            .compactMap { ($0 as? GeneratedClassName.Type)?.objectClass as? Subclass }.first
    }
}
