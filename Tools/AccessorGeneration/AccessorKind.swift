/// How the values of a type are passed: which of the framework's functions are its accessors, and how many registers
/// for numbers and addresses the value takes in front of the property's row.
///
/// A type that is none of these gets accessors in Swift, which the compiler compiles.
struct AccessorKind {
    /// The functions are `firn_get_` and `firn_set_` with this, in `NSManagedObject+ValueAccessors.swift`.
    let name: String
    let registerCount: Int
    /// Whether the row has to name the type.
    let needsType: Bool

    /// Objects, collections and enumerations, optional or not.
    private static let word = AccessorKind("word", 1, needsType: true)

    private static let standard: [Character: AccessorKind] = [
        "i": AccessorKind("int64", 1), "b": AccessorKind("bool", 1), "d": AccessorKind("double", 0),
        "f": AccessorKind("float", 0), "S": AccessorKind("string", 2),
    ]

    private static let integers: [String: AccessorKind] = [
        "Int16": AccessorKind("int16", 1), "Int32": AccessorKind("int32", 1), "Int64": AccessorKind("int64", 1),
    ]

    /// Foundation's structures, without and with an optional around them.
    private static let foundation: [String: (AccessorKind, optional: AccessorKind)] = [
        "Date": (AccessorKind("date", 0), AccessorKind("date_optional", 2)),
        "Data": (AccessorKind("data", 2), AccessorKind("data_optional", 2)),
        "UUID": (AccessorKind("uuid", 2), AccessorKind("uuid_optional", 3)),
        "URL": (AccessorKind("url", 2), AccessorKind("url_optional", 2)),
        "Decimal": (AccessorKind("decimal", 3), AccessorKind("decimal_optional", 3)),
    ]

    private init(_ name: String, _ registerCount: Int, needsType: Bool = false) {
        self.name = name
        self.registerCount = registerCount
        self.needsType = needsType
    }

    init?(_ type: ResolvedType, resolver: TypeResolver) {
        let found: AccessorKind?
        switch type {
        case .standard(let letter): found = Self.standard[letter]
        case .optional(.standard("S")): found = AccessorKind("string_optional", 2)
        case .nominal(let nominal): found = Self.known(nominal)?.0
        case .optional(.nominal(let nominal)): found = Self.known(nominal)?.optional
        default: found = nil
        }
        let plain: ResolvedType
        if case .optional(let wrapped) = type { plain = wrapped } else { plain = type }
        guard let kind = found ?? (Self.isWord(plain, resolver) ? Self.word : nil) else { return nil }
        self = kind
    }

    private static func known(_ nominal: ResolvedType.Nominal) -> (AccessorKind, optional: AccessorKind?)? {
        guard nominal.path.count == 1, let name = nominal.path.first?.name else { return nil }
        if nominal.module == "Swift" { return integers[name].map { ($0, nil) } }
        // Foundation is one name for two modules on Linux.
        guard nominal.module.hasPrefix("Foundation") else { return nil }
        return foundation[name].map { ($0.0, $0.optional) }
    }

    private static func isWord(_ type: ResolvedType, _ resolver: TypeResolver) -> Bool {
        switch type {
        case .anyObject, .bound: true
        case .nominal(let nominal):
            nominal.path.last?.kind == "C" || resolver.isEnumerationOfRawValues(nominal)
        default: false
        }
    }
}

extension MembersMethod {
    /// The framework's function that does it, by how each argument is passed; nil where one is passed otherwise.
    func function(_ types: [ResolvedType], _ resolver: TypeResolver) -> String? {
        var letters = ""
        for type in types {
            switch type {
            case .standard("i"): letters += "i"
            case .nominal(let nominal) where nominal.path.last?.kind == "C": letters += "o"
            case .bound("a", let elements):
                guard case .nominal(let element)? = elements.first, resolver.isManagedObject(element)
                else { return nil }
                letters += "a"
            default: return nil
            }
        }
        let name = "\(operation)_\(letters)"
        let known: Set<String> = [
            "add_o", "remove_o", "removeat_i", "removeat_o", "insert_oi", "insert_ao", "replace_io", "replace_oa",
        ]
        return known.contains(name) ? "firn_" + name : nil
    }
}
