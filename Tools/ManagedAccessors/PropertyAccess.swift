/// How the accessors of a property read and write it: by the support for its type where there is one, else by that for
/// all types.
struct PropertyAccess {
    /// An expression that gives the property's value.
    let get: String
    /// A statement that sets the property to `value`.
    let set: String

    /// - Parameter key: the property's name as a literal.
    init(_ type: ResolvedType, key: String, resolver: TypeResolver) {
        let general = (get: "managedValue(\(key))", set: "setManagedValue(value, \(key))")
        func kind(_ name: String) -> (get: String, set: String) {
            ("managed\(name)(\(key))", "setManaged\(name)(value, \(key))")
        }
        func integer(_ name: String) -> (get: String, set: String) {
            ("\(name)(truncatingIfNeeded: managedInteger(\(key)))", "setManagedInteger(Int64(value), \(key))")
        }
        func mandatory(_ name: String) -> (get: String, set: String) {
            ("managed\(name)(\(key)) ?? managedValue(\(key))", "setManaged\(name)(value, \(key))")
        }
        let found: (get: String, set: String)
        switch type {
        case .standard("i"): found = integer("Int")
        case .standard("b"): found = kind("Boolean")
        case .standard("d"): found = kind("Real")
        case .standard("f"): found = ("Float(managedReal(\(key)))", "setManagedReal(Double(value), \(key))")
        case .standard("S"): found = ("managedText(\(key)) ?? \"\"", "setManagedText(value, \(key))")
        case .nominal(let nominal):
            switch (nominal.module, nominal.path.map(\.name)) {
            case ("Swift", ["Int64"]): found = kind("Integer")
            case ("Swift", let name) where ["Int8", "Int16", "Int32"].contains(name.first):
                found = integer(name[0])
            case (_, ["Date"]) where Self.isFoundation(nominal): found = mandatory("Date")
            case (_, ["Data"]) where Self.isFoundation(nominal): found = mandatory("Data")
            default: found = general
            }
        case .bound("h", let arguments), .optional(.bound("h", let arguments)):
            guard case .nominal(let member)? = arguments.first, resolver.isManagedObject(member) else {
                found = general
                break
            }
            found = ("managedMembers(\(key)) ?? managedValue(\(key))", general.set)
        case .optional(.standard("S")): found = kind("Text")
        case .optional(.nominal(let nominal)):
            switch nominal.path.map(\.name) {
            case ["Date"] where Self.isFoundation(nominal): found = kind("Date")
            case ["Data"] where Self.isFoundation(nominal): found = kind("Data")
            default: found = resolver.isManagedObject(nominal) ? kind("Destination") : general
            }
        default: found = general
        }
        (get, set) = found
    }

    /// Foundation is one name for two modules on Linux.
    private static func isFoundation(_ nominal: ResolvedType.Nominal) -> Bool {
        nominal.module.hasPrefix("Foundation")
    }
}
