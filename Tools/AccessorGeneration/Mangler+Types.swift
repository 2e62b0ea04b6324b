extension Mangler {
    /// A type's name as the runtime finds the type by it.
    static func name(of type: ResolvedType) -> String {
        var mangler = Mangler()
        mangler.append(type)
        return String(mangler.name.dropFirst(2))
    }

    mutating func append(_ type: ResolvedType) {
        switch type {
        case .standard(let letter): appendStandard(letter.asciiValue ?? 0)
        case .any: append("yp")
        case .anyObject: append("yXl")
        case .nominal(let nominal) where nominal.path.last?.kind == "P":
            let key = "protocol \(nominal)"
            if substitute(key) { return }
            appendProtocol(nominal)
            append("_p")
            remember(key)
        case .nominal(let nominal): append(nominal, depth: nominal.path.count)
        case .optional(let wrapped):
            let key = "optional \(wrapped)"
            if substitute(key) { return }
            append(wrapped)
            append("Sg")
            remember(key)
        case .bound(let letter, let arguments):
            let key = "bound \(letter) \(arguments)"
            if substitute(key) { return }
            appendStandard(letter.asciiValue ?? 0)
            append("y")
            for argument in arguments { append(argument) }
            append("G")
            remember(key)
        }
    }

    /// A declared type: what it is nested in, its name, its kind.
    mutating func append(_ nominal: ResolvedType.Nominal, depth: Int) {
        let component = nominal.path[depth - 1]
        let key = "type \(nominal.module) \(nominal.path.prefix(depth))"
        if substitute(key) { return }
        if depth > 1 { append(nominal, depth: depth - 1) } else { appendModule(nominal.module) }
        appendIdentifier(component.name)
        append(component.kind)
        remember(key)
    }

    private mutating func appendProtocol(_ nominal: ResolvedType.Nominal) {
        let key = "protocol declaration \(nominal)"
        if substitute(key) { return }
        appendModule(nominal.module)
        appendIdentifier(nominal.path[0].name)
        remember(key)
    }

    mutating func appendModule(_ name: String) {
        if name == "Swift" { append("s") } else { appendIdentifier(name) }
    }
}

/// The symbols that the compiler expects for a member.
struct MemberSymbols {
    /// The class, and the module of the extension where that is another one.
    let owner: ResolvedType.Nominal
    let extensionModule: String?
    /// What tells private members of several files apart; nil for others.
    let discriminator: String?

    func property(_ name: String, _ type: ResolvedType) -> (getter: String, setter: String) {
        var mangler = start(name)
        mangler.append(type)
        mangler.append("v")
        return (mangler.name + "g", mangler.name + "s")
    }

    func method(_ name: String, labels: [String], _ types: [ResolvedType]) -> String {
        var mangler = start(name)
        if labels.allSatisfy({ $0 == "_" }) {
            mangler.append("y")
        } else {
            for label in labels {
                if label == "_" { mangler.append("_") } else { mangler.appendIdentifier(label) }
            }
        }
        // The result, then the parameters: one without a label stands alone, others are a tuple.
        mangler.append("y")
        if types.isEmpty { mangler.append("y") }
        for (index, type) in types.enumerated() {
            mangler.append(type)
            if index == 0, types.count > 1 || labels[0] != "_" { mangler.append("_") }
        }
        if types.count > 1 || (types.count == 1 && labels[0] != "_") { mangler.append("t") }
        mangler.append("F")
        return mangler.name
    }

    private func start(_ name: String) -> Mangler {
        var mangler = Mangler()
        mangler.append(owner, depth: owner.path.count)
        if let extensionModule {
            mangler.appendModule(extensionModule)
            mangler.append("E")
        }
        mangler.appendIdentifier(name)
        if let discriminator {
            mangler.appendIdentifier(discriminator)
            mangler.append("LL")
        }
        return mangler
    }
}
