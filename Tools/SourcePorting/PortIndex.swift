import Foundation

/// What the files of a target say of each other. A file's copy is made from the file and this.
package struct PortIndex: Codable, Equatable {
    /// A member that overrides in an extension, and is compiled in its class.
    struct Moved: Codable, Equatable {
        var type: String
        var file: String
        var line: Int
        /// With its own rewriting done.
        var text: String
        /// The source's own words, if nothing of them is rewritten.
        var source: String?
        var imports: [String]
    }

    var moved: [Moved] = []
    /// The classes of `moved` that a file of the target declares.
    @InOrder var homes: Set<String> = []
    /// Managed object classes by the name that Objective-C has for them, where it is another.
    var classNames: [String: String] = [:]
    /// The `@objc` properties of managed object classes and plain ones.
    var keys: [String: InOrder<String>] = [:]
    @InOrder var support: Set<PortSupport> = []
    /// The private types that become internal, with the names that they get, by file.
    var exposed: [String: [String: String]] = [:]
    /// The optional methods of the target's protocols.
    @InOrder var optionals: Set<String> = []
    /// The properties that are an `NSSet` or an `NSOrderedSet` wherever the target declares one of the name.
    var setProperties: [String: String] = [:]
    /// The classes of the main actor, whose tests others call.
    @InOrder var mainActorClasses: Set<String> = []
    /// `NSPersistentContainer`, and the classes of the target that inherit from it.
    @InOrder var containers: Set<String> = []
    /// The migration policies of the target.
    @InOrder var policies: Set<String> = []
    /// Names of Combine that the target declares itself.
    @InOrder var publishers: Set<String> = []
    /// The members that extensions of a framework's class declare, which Swift does not override here.
    @InOrder var extensionMembers: Set<String> = []
    /// The generic types that have `NSFetchRequestResult` as an argument somewhere.
    @InOrder var resultTypes: Set<String> = []
    /// Whether the target has a function of the name of XCTest's.
    var declaresWait = false
    /// Modules that the target depends on and that stand in for Apple's, and `bundle`.
    @InOrder var modules: Set<String> = []

    /// - Parameter generated: the text of the classes that the target's models generate.
    package init(files: [(path: String, text: String)], modules: Set<String> = [], generated: [String] = []) {
        self.init(files.concurrentMap(OutlinedSource.init), modules: modules, generated: generated)
    }

    package init(_ sources: [OutlinedSource], modules: Set<String>, generated: [String]) {
        self.modules = modules
        let files = sources.concurrentMap(Declarations.init)
        let made = generated.map { Declarations(OutlinedSource(path: "", text: $0)) }
        setProperties = Self.setProperties(files + made)
        mainActorClasses = Self.mainActorClasses(files)
        containers = Self.heirs(of: ["NSPersistentContainer"], files)
        declaresWait = files.contains(where: \.declaresWait)
        publishers = Porter.publishers.intersection(files.flatMap(\.types).filter { !$0.isExtension }.map(\.bareName))
        extensionMembers = Set(files.flatMap(\.extensionMembers))
        let exposure = Exposure(files)
        exposed = exposure.names
        policies = exposure.policies
        let partial = self
        let managed = exposure.managed.union(Exposure(made).managed)
        let coded = managed.union(exposure.plain.subtracting(mainActorClasses))
        var declared = Set(made.flatMap(\.types).filter { !$0.isExtension }.map(\.name))
        classNames = exposure.nestedClassNames
        var checks: [String: (keys: Set<String>, file: String)] = [:]
        for file in sources.concurrentMap({ Contribution($0, partial) }) {
            moved += file.moved
            for (type, keys) in file.keys where coded.contains(type) {
                self.keys[portedName(type, in: file.path), default: InOrder()].wrappedValue.formUnion(keys)
            }
            for (type, keys) in file.checks where managed.contains(type) {
                checks[portedName(type, in: file.path), default: ([], file.path)].keys.formUnion(keys)
            }
            classNames.merge(file.classNames) { _, named in named }
            support.formUnion(file.support)
            optionals.formUnion(file.optionals)
            resultTypes.formUnion(file.resultTypes)
            declared.formUnion(file.declared)
        }
        for (type, check) in checks.sorted(by: { $0.key < $1.key }) where !check.keys.contains("Value") {
            moved.append(Moved(checking: check.keys.sorted(), of: type, file: check.file))
        }
        if moved.contains(where: { $0.text.contains("removePortedObserver") }) { support.insert(.observer) }
        homes = Set(moved.map(\.type)).intersection(declared)
        support = PortSupport.without(support, declared)
    }

    /// Whether the index is the same for another text of a file.
    package func isSame(for before: OutlinedSource, and after: OutlinedSource) -> Bool {
        guard Declarations(before) == Declarations(after) else { return false }
        var partial = self
        (partial.moved, partial.homes, partial.keys, partial.classNames) = ([], [], [:], [:])
        (partial.support, partial.optionals, partial.resultTypes) = ([], [], [])
        return Contribution(before, partial) == Contribution(after, partial)
    }

    /// The name that a type of a file has in the copy.
    func portedName(_ name: String, in path: String) -> String {
        let exposed = exposed[path] ?? [:]
        if let newName = exposed[name] { return newName }
        guard let first = name.split(separator: ".").first.map(String.init), let newName = exposed[first] else {
            return name
        }
        return newName + name.dropFirst(first.count)
    }

    private static func setProperties(_ files: [Declarations]) -> [String: String] {
        var types: [String: String] = [:]
        var others: Set<String> = []
        for file in files {
            types.merge(file.sets) { _, last in last }
            others.formUnion(file.others)
        }
        return types.filter { !others.contains($0.key) }
    }

    /// Among the modules where the target has resources.
    static let bundle = "Bundle.module"

    private static let mark = "// index "

    /// The Swift file that carries the index and what the copies call.
    package func text() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return "// Made from the target's ported sources at each build.\n" + Self.mark
            + String(decoding: try encoder.encode(self), as: UTF8.self) + "\n" + PortSupport.text(support)
            + classNameText + keyText
    }

    /// A class for each name that only Objective-C knows.
    var classNameText: String {
        let names = classNames.sorted { $0.key < $1.key }.map { name, type in
            """

            final class \(name)_ClassName: GeneratedClassName {
                override class var objectClass: AnyClass { \(type).self }
            }

            """
        }
        return names.joined()
    }

    /// For each class the properties that key-value coding reads by their names.
    var keyText: String {
        let listings = keys.sorted { $0.key < $1.key }.map { type, keys in
            let lines = keys.wrappedValue.sorted().map { "        add(\\\(type).`\($0)`, \"\($0)\")\n" }
            return """

                final class \(type)_PortedKeys: GeneratedKeyNames {
                    override class func list(_ add: (AnyKeyPath, String) -> Void) {
                \(lines.joined())    }
                }

                """
        }
        return listings.joined()
    }

    /// Reads the index of a file that `text()` made.
    package init(text: String) throws {
        let line = text.split(separator: "\n").first { $0.hasPrefix(Self.mark) } ?? ""
        self = try JSONDecoder().decode(Self.self, from: Data(line.dropFirst(Self.mark.count).utf8))
    }
}

/// A set that is encoded in order, so that the same index is the same text in each process.
@propertyWrapper
struct InOrder<Element: Codable & Hashable & Comparable>: Codable, Equatable {
    var wrappedValue: Set<Element> = []

    init(wrappedValue: Set<Element> = []) { self.wrappedValue = wrappedValue }

    init(from decoder: any Decoder) throws { wrappedValue = Set(try [Element](from: decoder)) }

    func encode(to encoder: any Encoder) throws { try wrappedValue.sorted().encode(to: encoder) }
}

extension Array {
    /// The results of a function that several threads call, in the order of the elements.
    package func concurrentMap<Result>(_ transform: (Element) -> Result) -> [Result] {
        nonisolated(unsafe) var results = [Result?](repeating: nil, count: count)
        nonisolated(unsafe) let transform = transform
        nonisolated(unsafe) let elements = self
        let lock = NSLock()
        DispatchQueue.concurrentPerform(iterations: count) { index in
            let result = transform(elements[index])
            lock.withLock { results[index] = result }
        }
        return results.compactMap { $0 }
    }
}
