/// The private types that have to become internal, so that accessors, models and mappings reach them from outside of
/// their file: managed objects and other classes that are found by their names, and the private types that they use.
struct Exposure {
    /// By file, the names that the types get. One that another file declares too gets the file's name behind it.
    private(set) var names: [String: [String: String]] = [:]
    /// Managed object classes in types, by the name that `NSStringFromClass` gives them.
    private(set) var nestedClassNames: [String: String] = [:]

    /// Managed object classes at the top level, without parameters.
    private(set) var managed: Set<String> = []

    /// Classes at the top level, without parameters, that `NSObject` alone has before them.
    private(set) var plain: Set<String> = []

    /// Migration policies, whose methods mapping models call.
    private(set) var policies: Set<String> = []

    private static let roots: Set<String> = [
        "NSManagedObject", "NSEntityMigrationPolicy", "ValueTransformer", "NSSecureUnarchiveFromDataTransformer",
        "NSAtomicStore", "NSIncrementalStore",
    ]

    /// The files that declare a type, by its name.
    private var declaring: [String: Set<String>] = [:]
    private var parents: [String: String] = [:]

    init(_ files: [Declarations]) {
        for file in files {
            for type in file.types where !type.isExtension {
                declaring[type.name, default: []].insert(file.path)
                if !type.isPrivate, let parent = type.parent { parents[type.bareName] = parent }
            }
        }
        for file in files { expose(file) }
    }

    private mutating func expose(_ file: Declarations) {
        let types = file.types.filter { !$0.isExtension }
        let reached = types.filter { root(of: $0, types) != nil }
        var exposed: Set<String> = []
        var pending = reached.map(\.name)
        while let name = pending.popLast() {
            guard exposed.insert(name).inserted else { continue }
            pending += types.filter { name.hasPrefix($0.name + ".") }.map(\.name)
            let used = file.types.filter { $0.name == name }.reduce(into: Set<String>()) { $0.formUnion($1.used) }
            pending += types.filter { $0.isPrivate && used.contains($0.bareName) }.map(\.name)
        }
        for type in types where type.isPrivate && exposed.contains(type.name) {
            let isUnique = (declaring[type.name] ?? []).count < 2
            names[file.path, default: [:]][type.name] = isUnique ? type.name : ownName(type.name, file)
        }
        let objects = reached.filter { !$0.hasParameters && root(of: $0, types) == "NSManagedObject" }
        managed.formUnion(objects.map(\.name).filter { !$0.contains(".") })
        let objective = types.filter { type in
            !type.name.contains(".") && !type.hasParameters && !type.isPrivate && !type.isOnMainActor
                && root(of: type, types, ["NSObject"]) != nil
        }
        plain.formUnion(objective.map(\.name))
        policies.formUnion(reached.filter { root(of: $0, types) == "NSEntityMigrationPolicy" }.map(\.name))
        for type in reached where type.name.contains(".") && root(of: type, types) == "NSManagedObject" {
            let name = names[file.path]?[type.name] ?? type.name
            nestedClassNames[name.replacing(".", with: "_")] = name
        }
    }

    /// The class of the framework that a class inherits from; nil for none that is found by its name.
    private func root(
        of type: Declarations.Declared, _ types: [Declarations.Declared], _ roots: Set<String> = Self.roots
    ) -> String? {
        guard type.keyword == "class" else { return nil }
        var seen: Set<String> = []
        var parent = type.parent
        while let name = parent, seen.insert(name).inserted {
            if roots.contains(name) { return name }
            parent = types.first { $0.bareName == name }?.parent ?? parents[name]
        }
        return type.hasManagedMembers ? "NSManagedObject" : nil
    }

    /// `Note_OrderTests` for the `Note` of `OrderTests.swift`.
    private func ownName(_ name: String, _ file: Declarations) -> String {
        let path = file.path.split(separator: "/").last ?? ""
        let stem = path.prefix { $0 != "." }.map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()
        var candidate = name + "_" + stem
        while declaring[candidate] != nil || names.values.contains(where: { $0.values.contains(candidate) }) {
            candidate += "_"
        }
        return candidate
    }
}
