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
        var imports: [String]
    }

    var moved: [Moved] = []
    /// The classes of `moved` that a file of the target declares.
    var homes: Set<String> = []
    /// Managed object classes by the name that Objective-C has for them, where it is another.
    var classNames: [String: String] = [:]
    var support: Set<PortSupport> = []
    /// The private classes with `@NSManaged` members that several files declare.
    var privateTwice: Set<String> = []
    /// The optional methods of the target's protocols.
    var optionals: Set<String> = []
    /// Modules that the target depends on and that stand in for Apple's, and `bundle`.
    var modules: Set<String> = []

    package init(files: [(path: String, text: String)], modules: Set<String> = []) {
        self.modules = modules
        var declared: Set<String> = []
        var privates: [String: Int] = [:]
        for file in files {
            let porter = Porter(path: file.path, text: file.text, index: nil)
            moved += porter.moved
            classNames.merge(porter.classNames) { first, _ in first }
            support.formUnion(porter.support)
            optionals.formUnion(porter.optionals)
            declared.formUnion(porter.outline.types.filter { !$0.isExtension }.map(\.name))
            if porter.imports.contains("Logging") { declared.insert("Logger") }
            for name in porter.privateClasses { privates[name, default: 0] += 1 }
        }
        homes = Set(moved.map(\.type)).intersection(declared)
        privateTwice = Set(privates.filter { $0.value > 1 }.keys)
        support = PortSupport.without(support, declared)
    }

    /// Among the modules where the target has resources.
    static let bundle = "Bundle.module"

    private static let mark = "// index "

    /// The Swift file that carries the index and what the copies call.
    package func text() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let names = classNames.sorted { $0.key < $1.key }.map { name, type in
            """

            final class \(name)_ClassName: GeneratedClassName {
                override class var objectClass: NSManagedObject.Type { \(type).self }
            }

            """
        }
        return "// Made from the target's ported sources at each build.\n" + Self.mark
            + String(decoding: try encoder.encode(self), as: UTF8.self) + "\n" + PortSupport.text(support)
            + names.joined()
    }

    /// Reads the index of a file that `text()` made.
    package init(text: String) throws {
        let line = text.split(separator: "\n").first { $0.hasPrefix(Self.mark) } ?? ""
        self = try JSONDecoder().decode(Self.self, from: Data(line.dropFirst(Self.mark.count).utf8))
    }
}
