import SwiftTokens

/// A source with its types.
struct OutlinedSource {
    let source: SourceText
    let outline: Outline
}

/// The private types that have to become internal, so that accessors, models and mappings reach them from outside of
/// their file: managed objects and other classes that are found by their names, and the private types that they use.
struct Exposure {
    /// By file, the names that the types get. One that another file declares too gets the file's name behind it.
    private(set) var names: [String: [String: String]] = [:]
    /// Managed object classes in types, by the name that `NSStringFromClass` gives them.
    private(set) var nestedClassNames: [String: String] = [:]

    /// Managed object classes at the top level, without parameters.
    private(set) var managed: Set<String> = []

    /// Migration policies, whose methods mapping models call.
    private(set) var policies: Set<String> = []

    private static let roots: Set<String> = [
        "NSManagedObject", "NSEntityMigrationPolicy", "ValueTransformer", "NSSecureUnarchiveFromDataTransformer",
        "NSAtomicStore", "NSIncrementalStore",
    ]

    private let files: [OutlinedSource]
    /// The files that declare a type, by its name.
    private var declaring: [String: Set<String>] = [:]
    private var parents: [String: String] = [:]

    init(_ files: [OutlinedSource]) {
        self.files = files
        for file in files {
            for type in file.outline.types where !type.isExtension {
                declaring[type.name, default: []].insert(file.source.path)
                if type.privateIndex == nil, let parent = type.parent { parents[type.bareName] = parent }
            }
        }
        for file in files { expose(file) }
    }

    private mutating func expose(_ file: OutlinedSource) {
        let types = file.outline.types.filter { !$0.isExtension }
        let reached = types.filter { root(of: $0, types) != nil }
        var exposed: Set<String> = []
        var pending = reached.map(\.name)
        while let name = pending.popLast() {
            guard exposed.insert(name).inserted else { continue }
            pending += types.filter { name.hasPrefix($0.name + ".") }.map(\.name)
            let used = words(of: name, file)
            pending += types.filter { $0.privateIndex != nil && used.contains($0.bareName) }.map(\.name)
        }
        for type in types where type.privateIndex != nil && exposed.contains(type.name) {
            let isUnique = (declaring[type.name] ?? []).count < 2
            names[file.source.path, default: [:]][type.name] = isUnique ? type.name : ownName(type.name, file)
        }
        let objects = reached.filter { !$0.hasParameters && root(of: $0, types) == "NSManagedObject" }
        managed.formUnion(objects.map(\.name).filter { !$0.contains(".") })
        policies.formUnion(reached.filter { root(of: $0, types) == "NSEntityMigrationPolicy" }.map(\.name))
        for type in reached where type.name.contains(".") && root(of: type, types) == "NSManagedObject" {
            let name = names[file.source.path]?[type.name] ?? type.name
            nestedClassNames[name.replacing(".", with: "_")] = name
        }
    }

    /// The class of the framework that a class inherits from; nil for none that is found by its name.
    private func root(of type: Outline.TypeBody, _ types: [Outline.TypeBody]) -> String? {
        guard type.keyword == "class" else { return nil }
        var seen: Set<String> = []
        var parent = type.parent
        while let name = parent, seen.insert(name).inserted {
            if Self.roots.contains(name) { return name }
            parent = types.first { $0.bareName == name }?.parent ?? parents[name]
        }
        return type.hasManagedMembers ? "NSManagedObject" : nil
    }

    /// The words in a type and its extensions.
    private func words(of name: String, _ file: OutlinedSource) -> Set<String> {
        var result: Set<String> = []
        for type in file.outline.types where type.name == name {
            result.formUnion(file.source.tokens[type.keywordIndex...type.close].map(\.text))
        }
        return result
    }

    /// `Note_OrderTests` for the `Note` of `OrderTests.swift`.
    private func ownName(_ name: String, _ file: OutlinedSource) -> String {
        let path = file.source.path.split(separator: "/").last ?? ""
        let stem = path.prefix { $0 != "." }.map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()
        var candidate = name + "_" + stem
        while declaring[candidate] != nil || names.values.contains(where: { $0.values.contains(candidate) }) {
            candidate += "_"
        }
        return candidate
    }
}
