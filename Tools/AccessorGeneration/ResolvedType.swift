/// A type as the compiler sees it, as far as its name in a symbol needs.
indirect enum ResolvedType {
    /// A declared type: the module it is in, and its name with those it is nested in.
    struct Nominal: Hashable, Sendable {
        struct Component: Hashable, Sendable {
            var name: String
            /// `C` for a class, `V` for a structure, `O` for an enumeration, `P` for a protocol.
            var kind: String
        }

        var module: String
        var path: [Component]
    }

    case nominal(Nominal)
    case standard(Character)
    case optional(ResolvedType)
    /// A generic type of the standard library, with its letter.
    case bound(Character, [ResolvedType])
    case any
    case anyObject
}

extension ResolvedType {
    /// Whether a structure, an enumeration or a protocol that a source declares is in it: the compiler keeps what the
    /// runtime finds such a type by only where something uses it.
    func hasDeclaredValues(_ resolver: TypeResolver) -> Bool {
        switch self {
        case .nominal(let nominal):
            nominal.path.last?.kind != "C" && resolver.declaration(nominal.path.map(\.name), in: []) != nil
        case .optional(let wrapped): wrapped.hasDeclaredValues(resolver)
        case .bound(_, let arguments): arguments.contains { $0.hasDeclaredValues(resolver) }
        case .standard, .any, .anyObject: false
        }
    }

    /// The type as a file of the module writes it.
    func text(in module: String) -> String {
        switch self {
        case .nominal(let nominal):
            let name = nominal.path.map(\.name).joined(separator: ".")
            let isNear = nominal.module == module || nominal.module.hasPrefix("Foundation")
            return (nominal.path.last?.kind == "P" ? "any " : "") + (isNear ? name : nominal.module + "." + name)
        case .standard(let letter): return KnownTypes.name(letter)
        case .optional(let wrapped): return "Optional<\(wrapped.text(in: module))>"
        case .bound(let letter, let arguments):
            return KnownTypes.name(letter) + "<\(arguments.map { $0.text(in: module) }.joined(separator: ", "))>"
        case .any: return "Any"
        case .anyObject: return "AnyObject"
        }
    }
}

/// Finds what a name in a declaration stands for: first in the types around it, then in the module, in the modules of
/// the package, among types that are known.
struct TypeResolver {
    private var types: [String: [String: TypeDeclaration]] = [:]
    private let module: String

    init(module: String, files: [ScannedFile]) {
        self.module = module
        for type in files.lazy.flatMap(\.types) {
            types[type.path.joined(separator: "."), default: [:]][type.module] = type
        }
    }

    func resolve(_ syntax: TypeSyntax, in path: [String]) -> ResolvedType? {
        switch syntax {
        case .optional(let inner): return resolve(inner, in: path).map { .optional($0) }
        case .array(let element): return resolve(element, in: path).map { .bound("a", [$0]) }
        case .dictionary(let key, let value):
            guard let key = resolve(key, in: path), let value = resolve(value, in: path) else { return nil }
            return .bound("D", [key, value])
        case .named(let name, let arguments): return resolve(name, arguments, in: path)
        }
    }

    private func resolve(_ name: [String], _ arguments: [TypeSyntax], in path: [String]) -> ResolvedType? {
        if let declared = declaration(name, in: path) {
            if case .alias(let type) = declared.kind {
                return resolve(type, in: Array(declared.path.dropLast()))
            }
            return arguments.isEmpty ? nominal(of: declared).map { .nominal($0) } : nil
        }
        // What is left is not of this package: a module's name before it says nothing more.
        let bare = name.last ?? ""
        if bare == "Any" { return .any }
        if bare == "AnyObject" { return .anyObject }
        if let alias = KnownTypes.aliases[bare] { return resolve(alias, in: []) }
        if let letter = KnownTypes.standard[bare] {
            let resolved = arguments.compactMap { resolve($0, in: path) }
            guard resolved.count == arguments.count else { return nil }
            if letter == "q" { return resolved.first.map { .optional($0) } }
            return resolved.isEmpty ? .standard(letter) : .bound(letter, resolved)
        }
        return arguments.isEmpty ? KnownTypes.others[bare].map { .nominal($0) } : nil
    }

    /// The declaration that a name finds in `path`, from the inside out.
    func declaration(_ name: [String], in path: [String]) -> TypeDeclaration? {
        for depth in stride(from: path.count, through: 0, by: -1) {
            let full = (path.prefix(depth) + name).joined(separator: ".")
            if let found = types[full] { return found[module] ?? found.values.first }
        }
        guard name.count > 1 else { return nil }
        return types[name.dropFirst().joined(separator: ".")]?[name[0]]
    }

    /// Whether a class is `NSManagedObject` or inherits from it, as far as sources tell.
    func isManagedObject(_ nominal: ResolvedType.Nominal) -> Bool {
        var name = nominal.path.map(\.name)
        var around: [String] = []
        // A class of a source that does not compile may be its own superclass.
        for _ in 0..<32 {
            guard let declared = declaration(name, in: around), declared.kind == .class else {
                return name.last == "NSManagedObject"
            }
            guard let superclass = declared.superclass else { return false }
            (name, around) = (superclass, Array(declared.path.dropLast()))
        }
        return false
    }

    /// Whether a type is an enumeration with values of a raw type, whose cases have nothing with them.
    func isEnumerationOfRawValues(_ nominal: ResolvedType.Nominal) -> Bool {
        guard let declared = declaration(nominal.path.map(\.name), in: []), declared.kind == .enum,
            let raw = declared.superclass?.last
        else { return false }
        return raw == "String" || raw == "Character" || KnownTypes.isNumber(raw)
    }

    /// The full name of a type with the kind of each step.
    func nominal(of type: TypeDeclaration) -> ResolvedType.Nominal? {
        var components: [ResolvedType.Nominal.Component] = []
        for depth in 1...type.path.count {
            let outer = type.path.prefix(depth).joined(separator: ".")
            guard let kind = types[outer]?[type.module]?.kind else { return nil }
            let letter: String
            switch kind {
            case .class: letter = "C"
            case .struct: letter = "V"
            case .enum: letter = "O"
            case .protocol: letter = "P"
            case .alias: return nil
            }
            components.append(.init(name: type.path[depth - 1], kind: letter))
        }
        return .init(module: type.module, path: components)
    }
}
