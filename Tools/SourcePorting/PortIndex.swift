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
    var homes: Set<String> = []
    /// Managed object classes by the name that Objective-C has for them, where it is another.
    var classNames: [String: String] = [:]
    /// The `@objc` properties of managed object classes.
    var keys: [String: Set<String>] = [:]
    var support: Set<PortSupport> = []
    /// The private types that become internal, with the names that they get, by file.
    var exposed: [String: [String: String]] = [:]
    /// The optional methods of the target's protocols.
    var optionals: Set<String> = []
    /// The properties that are an `NSSet` or an `NSOrderedSet` wherever the target declares one of the name.
    var setProperties: [String: String] = [:]
    /// The classes of the main actor, whose tests others call.
    var mainActorClasses: Set<String> = []
    /// The migration policies of the target.
    var policies: Set<String> = []
    /// Whether the target has a function of the name of XCTest's.
    var declaresWait = false
    /// Modules that the target depends on and that stand in for Apple's, and `bundle`.
    var modules: Set<String> = []

    /// - Parameter generated: the text of the classes that the target's models generate.
    package init(files: [(path: String, text: String)], modules: Set<String> = [], generated: [String] = []) {
        self.modules = modules
        let sources = files.concurrentMap { file in
            let source = SourceText(path: file.path, text: file.text)
            return OutlinedSource(source: source, outline: Outline(source))
        }
        let made = generated.map { text in
            let source = SourceText(path: "", text: text)
            return OutlinedSource(source: source, outline: Outline(source))
        }
        setProperties = Self.setProperties(sources + made)
        mainActorClasses = Self.mainActorClasses(sources)
        declaresWait = sources.map(\.source).contains { source in
            source.tokens.indices.contains { source.isWord("wait", at: $0) && source.isWord("func", at: $0 - 1) }
        }
        let exposure = Exposure(sources)
        let managed = exposure.managed.union(Exposure(made).managed)
        exposed = exposure.names
        policies = exposure.policies
        classNames = exposure.nestedClassNames
        let partial = self
        var declared = Set(made.flatMap(\.outline.types).filter { !$0.isExtension }.map(\.name))
        for porter in sources.concurrentMap({ Porter($0, index: partial, isIndexing: true) }) {
            moved += porter.moved
            for (type, keys) in porter.keys where managed.contains(type) {
                self.keys[porter.portedName(type), default: []].formUnion(keys)
            }
            classNames.merge(porter.classNames) { _, named in named }
            support.formUnion(porter.support)
            optionals.formUnion(porter.optionals)
            declared.formUnion(porter.outline.types.filter { !$0.isExtension }.map { porter.portedName($0.name) })
            if porter.imports.contains("Logging") { declared.insert("Logger") }
        }
        if moved.contains(where: { $0.text.contains("removePortedObserver") }) { support.insert(.observer) }
        homes = Set(moved.map(\.type)).intersection(declared)
        support = PortSupport.without(support, declared)
    }

    private static func setProperties(_ sources: [OutlinedSource]) -> [String: String] {
        var types: [String: String] = [:]
        var others: Set<String> = []
        for source in sources.map(\.source) {
            for place in source.tokens.indices
            where source.isWord("var", at: place) && source.isSign(":", at: place + 2) {
                let (name, type) = (source.text(at: place + 1), source.text(at: place + 3))
                if ["NSSet", "NSOrderedSet"].contains(type) { types[name] = type } else { others.insert(name) }
            }
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
                override class var objectClass: NSManagedObject.Type { \(type).self }
            }

            """
        }
        return names.joined()
    }

    /// For each class the properties that key-value coding reads by their names.
    private var keyText: String {
        let listings = keys.sorted { $0.key < $1.key }.map { type, keys in
            let lines = keys.sorted().map { "        add(\\\(type).`\($0)`, \"\($0)\")\n" }
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
