import Foundation

/// Writes the files that give `@NSManaged` members their bodies.
///
/// The compiler leaves the getter, the setter and the method of such a member as undefined symbols. A method of an
/// extension has the same calling convention as an accessor, so a method under the accessor's symbol is the accessor.
struct AccessorWriter {
    let module: String
    let files: [ScannedFile]
    let resolver: TypeResolver
    /// The classes of the target that inherit from a class, at any depth, by its path; private ones are left out.
    private let subclasses: [[String]: [[String]]]

    init(module: String, files: [ScannedFile], resolver: TypeResolver) {
        self.module = module
        self.files = files
        self.resolver = resolver
        let hidden = files.reduce(into: Set<[String]>()) { $0.formUnion($1.privateTypes) }
        var subclasses: [[String]: [[String]]] = [:]
        for type in files.flatMap(\.types) where type.kind == .class && !hidden.contains(type.path) {
            for base in Self.superclasses(of: type.path, resolver) { subclasses[base, default: []].append(type.path) }
        }
        self.subclasses = subclasses
    }

    private static let heading = "// Made from the target's @NSManaged members at each build.\n"

    /// The file that goes with one of the target's.
    func text(of file: ScannedFile) throws -> String {
        var text = Self.heading
        if file.members.isEmpty { return text }
        text += imports([file])
        var rows: [String] = []
        for member in file.members {
            let owner = try owner(of: member)
            text += "\nextension \(member.path.joined(separator: ".")) {\n"
            text += try declaration(of: member, owner)
            text += "}\n"
            rows += isNamed(member) ? keyPathRows(member) : []
        }
        guard !rows.isEmpty else { return text }
        // Not in an extension of a class of all: then each of these files would depend on all others.
        text += "\n" + names(of: file, "managedNames") + " {\n"
        for row in rows { text += "    \(row)\n" }
        return text + "}\n"
    }

    /// The file that goes with all of the target's.
    func names() -> String {
        let named = files.filter { $0.members.contains(where: isNamed) }
        if named.isEmpty { return Self.heading }
        var text = Self.heading + imports(named, isForUse: true)
        text += "\n/// The names of properties by their key paths, for sort descriptors and predicates.\n"
        text += "final class ManagedKeyPathNames: KeyPathNames {\n"
        text += "    override class var table: [AnyKeyPath: String] {\n"
        text += "        var table: [AnyKeyPath: String] = [:]\n"
        for file in named { text += "        addNames_\(digest(file))(&table)\n" }
        text += "        return table\n    }\n}\n"
        return named.reduce(into: text) { $0 += "\n" + names(of: $1, "addNames") + "\n" }
    }

    private func isNamed(_ member: ManagedMember) -> Bool {
        guard case .property = member.form else { return false }
        return member.access != .private && member.access != .fileprivate
    }

    /// The head of what adds a file's names. The linker finds it for who calls it: by name, that file would be compiled
    /// again whenever anything in the file that has it changes.
    private func names(of file: ScannedFile, _ name: String) -> String {
        let digest = digest(file)
        return """
            @_silgen_name("managedNames_\(digest)")
            func \(name)_\(digest)(_ table: inout [AnyKeyPath: String])
            """
    }

    /// Stands for the file's name, which has more characters than names in Swift; another one in each module.
    private func digest(_ file: ScannedFile) -> String {
        let name = URL(fileURLWithPath: file.path).deletingPathExtension().lastPathComponent
        return MD5.hex(module + "/" + name)
    }

    /// The imports of files with managed members, each once, with the widest access it has in one of them.
    ///
    /// - Parameter isForUse: whether no declaration that others see is to use what is imported.
    private func imports(_ files: [ScannedFile], isForUse: Bool = false) -> String {
        let order = ["", "private", "fileprivate", "internal", "package", "public"]
        var access: [String: Int] = [:]
        var testable: Set<String> = []
        for file in files {
            for (word, module, isTestable) in file.imports {
                if isTestable { testable.insert(module) }
                let rank = order.firstIndex(of: word) ?? 0
                access[module] = max(access[module] ?? 0, rank)
            }
        }
        return access.sorted { $0.key < $1.key }.map { module, rank in
            let attribute = testable.contains(module) ? "@testable " : ""
            let word = rank < 3 ? "" : isForUse ? "internal " : order[rank] + " "
            return attribute + word + "import \(module)\n"
        }.joined()
    }

    private func owner(of member: ManagedMember) throws -> ResolvedType.Nominal {
        if files.contains(where: { $0.path == member.file && $0.privateTypes.contains(member.path) }) {
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

    private func declaration(
        of member: ManagedMember, _ owner: ResolvedType.Nominal
    ) throws -> String {
        let isPrivate = member.access == .private || member.access == .fileprivate
        let file = URL(fileURLWithPath: member.file).lastPathComponent
        let symbols = MemberSymbols(
            owner: owner, extensionModule: owner.module == module ? nil : module,
            discriminator: isPrivate ? "_" + MD5.hex(module + file) : nil)
        let access = isPrivate || member.access == .internal ? "" : member.access.rawValue + " "
        let place = member.path.joined(separator: "_") + "_" + member.name
        let key = member.name.quoted
        switch member.form {
        case .property(let syntax, let type):
            let resolved = try resolve(syntax, type, member)
            let names = symbols.property(member.name, resolved)
            let body = PropertyAccess(resolved, key: key, resolver: resolver)
            return """
                    @_silgen_name("\(names.getter)")
                    \(access)final func managedGet_\(place)() -> \(type) { \(body.get) }
                    @_silgen_name("\(names.setter)")
                    \(access)final func managedSet_\(place)(_ value: __owned \(type)) {
                        \(body.set)
                    }

                """
        case .method(let parameters):
            guard let method = MembersMethod(member.name, parameters) else {
                throw error(
                    member,
                    "'\(member.name)' is no accessor of a to-many relationship: Core Data makes addTo…(_:), "
                        + "removeFrom…(_:), insertInto…(_:at:), removeFrom…(at:) and replace…(at:with:)")
            }
            let types = try parameters.map { try resolve($0.type, $0.typeText, member) }
            let symbol = symbols.method(member.name, labels: parameters.map(\.label), types)
            let list = parameters.map { parameter in
                let (label, name) = (parameter.label, parameter.name)
                return "\(label == name ? name : "\(label) \(name)"): \(parameter.typeText)"
            }
            let name = "managedChange_\(place)"
            return """
                    @_silgen_name("\(symbol)")
                    \(access)final func \(name)(\(list.joined(separator: ", "))) {
                        \(method.call)
                    }

                """
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

    /// A row for the class and for each of its subclasses: a key path of a subclass is another one.
    private func keyPathRows(_ member: ManagedMember) -> [String] {
        ([member.path] + (subclasses[member.path] ?? [])).map {
            "table[\\\($0.joined(separator: ".")).\(member.name)] = \(member.name.quoted)"
        }
    }

    private static func superclasses(of path: [String], _ resolver: TypeResolver) -> [[String]] {
        var result: [[String]] = []
        var current = path
        // A class that inherits from itself is the compiler's to report.
        while result.count < 32, let declared = resolver.declaration(current, in: []),
            let superclass = declared.superclass,
            let next = resolver.declaration(superclass, in: Array(declared.path.dropLast()))
        {
            result.append(next.path)
            current = next.path
        }
        return result
    }

    private func error(_ member: ManagedMember, _ message: String) -> SourceError {
        SourceError(file: member.file, line: member.line, message: message)
    }
}
