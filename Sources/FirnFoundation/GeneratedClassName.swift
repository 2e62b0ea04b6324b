internal import FirnRuntime

/// The class behind a name that only Objective-C knows: `@objc(Order) class CDOrder`. For each such name the plugin
/// `PortedSources` writes a subclass of this one, `Order_ClassName`, which is found by its name.
open class GeneratedClassName {
    /// The class that models and mapping models name so.
    open class var objectClass: AnyClass { GeneratedClassName.self }

    /// The class of a kind that a model or a mapping model names. A module in the name is preferred, not required.
    package static func find<Subclass>(_ name: String, as type: Subclass.Type) -> Subclass? {
        LoadedClasses.all(named: name).lazy.compactMap { $0 as? Subclass }.first
            ?? LoadedClasses.all(named: name + "_ClassName").lazy
            .compactMap { ($0 as? GeneratedClassName.Type)?.objectClass as? Subclass }.first
    }

    /// A name for a private class, or one in a function, which nothing else could name. Models find the class by it
    /// from now on, in this process.
    public static func name(of type: AnyClass) -> String {
        let module = String(reflecting: type).prefix { $0 != "." }
        let place = String(UInt(bitPattern: ObjectIdentifier(type)), radix: 16)
        let name = "\(type)_\(place)"
        LoadedClasses.register(type, as: name)
        return "\(module).\(name)"
    }
}
