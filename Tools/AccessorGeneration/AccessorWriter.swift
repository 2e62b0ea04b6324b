import Foundation

/// Finds what gives `@NSManaged` members their bodies.
///
/// The compiler leaves the getter, the setter and the method of such a member as undefined symbols. For a type that is
/// passed like others, the accessor is a few instructions in an object file, which jump to the framework's function
/// for all properties of the kind. For other types, it jumps to a method of an extension, in Swift, which has the same
/// calling convention.
struct AccessorWriter {
    let module: String
    let files: [ScannedFile]
    let resolver: TypeResolver
    private let privateTypes: [String: Set<[String]>]

    init(module: String, files: [ScannedFile], resolver: TypeResolver) {
        self.module = module
        self.files = files
        self.resolver = resolver
        privateTypes = files.reduce(into: [:]) { $0[$1.path] = $1.privateTypes.isEmpty ? nil : $1.privateTypes }
    }

    static let heading = "// Made from the target's @NSManaged members at each build.\n"

    /// The accessors of a file's members.
    func accessors(of file: ScannedFile) throws -> [Accessor] { try file.members.map(accessor) }

    /// The file that is compiled with the target's: its first import has the linker look for the accessors, and what
    /// some of them need in Swift follows.
    func text(_ accessors: [Accessor]) -> String {
        let sources = accessors.compactMap(\.source)
        let named = files.filter { $0.members.contains { member in sources.contains { $0.file == member.file } } }
        return Self.heading + "import CManagedAccessors\n" + (sources.isEmpty ? "" : imports(named))
            + Set(sources.map(\.text)).sorted().map { "\n" + $0 }.joined()
    }

    /// The imports of files, each once, with the widest access it has in one of them.
    private func imports(_ files: [ScannedFile]) -> String {
        let order = ["", "private", "fileprivate", "internal", "package", "public"]
        var access: [String: Int] = [:]
        var testable: Set<String> = []
        for line in files.flatMap(\.imports) {
            if line.isTestable { testable.insert(line.module) }
            access[line.module] = max(access[line.module] ?? 0, order.firstIndex(of: line.access) ?? 0)
        }
        return access.sorted { $0.key < $1.key }.map { module, rank in
            let attribute = testable.contains(module) ? "@testable " : ""
            return attribute + (rank < 3 ? "" : order[rank] + " ") + "import \(module)\n"
        }.joined()
    }

    private func owner(of member: ManagedMember) throws -> ResolvedType.Nominal {
        if privateTypes[member.file]?.contains(member.path) == true {
            throw error(
                member,
                "the class '\(member.path.joined(separator: "."))' is private to its file, where no other file "
                    + "can give '\(member.name)' its body: make the class internal")
        }
        guard let declared = resolver.declaration(member.path, in: []),
            let nominal = resolver.nominal(of: declared)
        else {
            throw error(
                member,
                "cannot find the class '\(member.path.joined(separator: "."))': "
                    + "declare it in this target or in one that the target depends on")
        }
        return nominal
    }

    private func accessor(_ member: ManagedMember) throws -> Accessor {
        let owner = try owner(of: member)
        let isPrivate = member.access == .private || member.access == .fileprivate
        let file = URL(fileURLWithPath: member.file).lastPathComponent
        let symbols = MemberSymbols(
            owner: owner, extensionModule: owner.module == module ? nil : module,
            discriminator: isPrivate ? "_" + MD5.hex(module + file) : nil)
        switch member.form {
        case .property(let syntax, let text):
            let type = try resolve(syntax, text, member)
            let names = symbols.property(member.name, type)
            guard let kind = AccessorKind(type, resolver: resolver) else {
                return inSwift(member, names, text)
            }
            let entries: [Accessor.Entry] = [
                .init(symbol: names.getter, function: "firn_get_" + kind.name, register: 0),
                .init(symbol: names.setter, function: "firn_set_" + kind.name, register: kind.registerCount),
            ]
            guard kind.needsType else { return Accessor(key: member.name, entries: entries) }
            let name = Mangler.name(of: type)
            guard type.hasDeclaredValues(resolver) else {
                return Accessor(key: member.name, type: name, entries: entries)
            }
            let function = "managedType_" + MD5.hex(module + "/" + name)
            return Accessor(
                key: member.name, typeFunction: function, entries: entries,
                source: Accessor.Source(
                    file: member.file,
                    text: """
                        @_cdecl("\(function)")
                        func \(function)() -> UnsafeRawPointer {
                            unsafeBitCast(\(type.text(in: module)).self as Any.Type, to: UnsafeRawPointer.self)
                        }

                        """))
        case .method(let parameters):
            guard let method = MembersMethod(member.name, parameters) else {
                throw error(
                    member,
                    "'\(member.name)' is no accessor of a to-many relationship: Core Data makes addTo…(_:), "
                        + "removeFrom…(_:), insertInto…(_:at:), removeFrom…(at:) and replace…(at:with:)")
            }
            let types = try parameters.map { try resolve($0.type, $0.typeText, member) }
            let symbol = symbols.method(member.name, labels: parameters.map(\.label), types)
            guard let function = method.function(types, resolver) else {
                return inSwift(member, method, symbol, parameters)
            }
            return Accessor(
                key: method.key, entries: [.init(symbol: symbol, function: function, register: types.count)])
        }
    }

    private func inSwift(
        _ member: ManagedMember, _ names: (getter: String, setter: String), _ type: String
    ) -> Accessor {
        let (key, place, access) = (member.name.quoted, place(member), access(member))
        return Accessor(
            key: member.name,
            entries: [
                .init(symbol: names.getter, function: names.getter + "_managed"),
                .init(symbol: names.setter, function: names.setter + "_managed"),
            ],
            source: source(
                member,
                """
                    @_silgen_name("\(names.getter)_managed")
                    \(access)final func managedGet_\(place)() -> \(type) { managedValue(\(key)) }
                    @_silgen_name("\(names.setter)_managed")
                    \(access)final func managedSet_\(place)(_ value: __owned \(type)) {
                        setManagedValue(value, \(key))
                    }
                """))
    }

    private func inSwift(
        _ member: ManagedMember, _ method: MembersMethod, _ symbol: String, _ parameters: [ManagedMember.Parameter]
    ) -> Accessor {
        let list = parameters.map { parameter in
            let (label, name) = (parameter.label, parameter.name)
            return "\(label == name ? name : "\(label) \(name)"): \(parameter.typeText)"
        }
        return Accessor(
            key: method.key, entries: [.init(symbol: symbol, function: symbol + "_managed")],
            source: source(
                member,
                """
                    @_silgen_name("\(symbol)_managed")
                    \(access(member))final func managedChange_\(place(member))(\(list.joined(separator: ", "))) {
                        \(method.call)
                    }
                """))
    }

    private func source(_ member: ManagedMember, _ methods: String) -> Accessor.Source {
        let type = member.path.joined(separator: ".")
        return Accessor.Source(file: member.file, text: "extension \(type) {\n\(methods)\n}\n")
    }

    private func place(_ member: ManagedMember) -> String { member.path.joined(separator: "_") + "_" + member.name }

    private func access(_ member: ManagedMember) -> String {
        switch member.access {
        case .private, .fileprivate, .internal: ""
        case .package, .public: member.access.rawValue + " "
        }
    }

    private func resolve(
        _ syntax: TypeSyntax, _ text: String, _ member: ManagedMember
    ) throws -> ResolvedType {
        guard let type = resolver.resolve(syntax, in: member.path) else {
            throw error(
                member,
                "cannot tell where the type '\(text)' of '\(member.name)' is declared: use one of the standard "
                    + "library, of Foundation, of this target or of a target it depends on")
        }
        return type
    }

    private func error(_ member: ManagedMember, _ message: String) -> SourceError {
        SourceError(file: member.file, line: member.line, message: message)
    }
}
