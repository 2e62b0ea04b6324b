import Foundation
import Testing

@Suite("What the macros make of each kind of property", .enabled(if: MacroExpansion.program != nil))
struct PropertyExpansionTests {
    /// The row of the metadata, after the name and the key path of `x`.
    private func row(_ defaultValue: String, _ metadata: String = "nil") -> String {
        "SwiftData.Schema.PropertyMetadata(name: \"x\", keypath: \\A.x, defaultValue: \(defaultValue), "
            + "metadata: \(metadata)),"
    }

    @Test(
        "s.9 a property's type and default go into its row",
        arguments: [
            ("var x: Int", "nil"), ("var x: Int = 1", "(1) as Int"), ("var x = 1", "1"), ("var x: String?", "nil"),
            ("var x: String? = nil", "nil"), ("var x: [String] = []", "([]) as [String]"),
            ("var x: [Int: String] = [:]", "([:]) as [Int: String]"), ("var x: Kind = Kind.one", "(Kind.one) as Kind"),
            ("var x: Kind = .one", "(.one) as Kind"), ("var x: Date = Date()", "(Date()) as Date"),
            ("var x: Data", "nil"), ("var x: UUID = UUID()", "(UUID()) as UUID"), ("var x: URL?", "nil"),
            ("var x: Decimal = 0", "(0) as Decimal"), ("var x: Place", "nil"), ("var x: B?", "nil"),
            ("var x: [B]", "nil"), ("var x: (Int)", "nil"),
            ("public private(set) var x: Int", "nil"), ("fileprivate var x: Int", "nil"),
        ])
    func rows(_ declaration: String, _ defaultValue: String) throws {
        let (text, report) = try expanded(declaration)
        #expect(report == "")
        #expect(text.contains(row(defaultValue)), "\(row(defaultValue)) in \(text)")
        #expect(text.contains("_$backingData.getValue(forKey: \\.x, of: self, observedBy: _$observationRegistrar)"))
        #expect(text.contains("_$backingData.setValue(forKey: \\.x, to: initialValue)"))
    }

    @Test(
        "s.15 an option goes into the row as it is written",
        arguments: [
            "Attribute()", "Attribute(.unique)", "Attribute(.externalStorage)", "Attribute(.ephemeral)",
            "Attribute(.spotlight)", "Attribute(.allowsCloudEncryption)", "Attribute(.preserveValueOnDeletion)",
            "Attribute(.codable)", "Attribute(.unique, .spotlight)", "Attribute(originalName: \"y\")",
            "Attribute(hashModifier: \"2\")", "Attribute(.unique, originalName: \"y\", hashModifier: \"2\")",
            "Relationship()", "Relationship(.unique)", "Relationship(deleteRule: .cascade)",
            "Relationship(deleteRule: .deny, minimumModelCount: 1, maximumModelCount: 3)",
            "Relationship(inverse: \\B.a)", "Relationship(deleteRule: .nullify, originalName: \"y\", inverse: \\B.a)",
            "Relationship(.ordered)",
        ])
    func options(_ marker: String) throws {
        let (text, report) = try expanded("@\(marker) var x: T")
        #expect(report == "")
        #expect(text.contains(row("nil", "SwiftData.Schema.\(marker)")), "in \(text)")
    }

    @Test(
        "s.15 a transformable property has accessors of its own",
        arguments: [
            "Attribute(.transformable(by: \"T\"))", "Attribute(.transformable(by: T.self))",
            "Attribute(.unique, .transformable(by: T.self))",
        ])
    func transformable(_ marker: String) throws {
        let (text, report) = try expanded("@\(marker) var x: Color")
        #expect(report == "")
        #expect(text.contains(row("nil", "SwiftData.Schema.\(marker)")))
        #expect(text.contains("_$backingData.getTransformableValue(forKey: \\.x, of: self, "))
        #expect(text.contains("_$backingData.setTransformableValue(forKey: \\.x, to: newValue, of: self)"))
        #expect(!text.contains("getValue(forKey: \\.x, "))
    }

    @Test(
        "s.9 what is not stored in objects, or is transient, stays as it is",
        arguments: [
            "var x: Int { 1 }", "var x: Int { get { 1 } set {} }", "static var x = 1", "static let x = 1",
            "@Transient var x = 1", "@Transient var x: Int?", "@SwiftData.Transient var x = 1", "func x() {}",
            "@Transient let x = 1", "@Transient weak var x: B?", "@Transient lazy var x = 1",
        ])
    func untouched(_ declaration: String) throws {
        let (text, report) = try expanded(declaration)
        #expect(report == "")
        #expect(!text.contains("name: \"x\""))
        #expect(!text.contains("forKey: \\.x"))
    }

    @Test("s.9 a name in backticks is stored without them")
    func backticks() throws {
        let (text, report) = try expanded("var `default`: Int = 0")
        #expect(report == "")
        #expect(text.contains("PropertyMetadata(name: \"default\", keypath: \\A.`default`"))
        #expect(text.contains("private var _default: _SwiftDataNoType"))
    }

    @Test("s.9 attributes may be written with their module")
    func modules() throws {
        let (text, report) = try expanded("@SwiftData.Attribute(.unique) var x: Int")
        #expect(report == "")
        #expect(text.contains(row("nil", "SwiftData.Schema.Attribute(.unique)")))
    }

    @Test(
        "s.9 what a protocol asks for is as visible as its class",
        arguments: [
            ("", ""), ("public ", "public "), ("open ", "public "), ("package ", "package "), ("internal ", ""),
            ("fileprivate ", ""), ("private ", ""),
        ])
    func access(_ level: String, _ expected: String) throws {
        let text = try MacroExpansion("@Model \(level)class A {\n    var x: Int\n}\n").text
        #expect(text.contains("    \(expected)required init(backingData: any SwiftData.BackingData<A>)"))
        #expect(text.contains("    \(expected)var persistentBackingData: any SwiftData.BackingData<A>"))
        #expect(text.contains("    \(expected)class var schemaMetadata: [SwiftData.Schema.PropertyMetadata]"))
    }

    @Test("s.9 of a final class the metadata are static")
    func finalClass() throws {
        #expect(try MacroExpansion.model("    var x: Int").text.contains("    static var schemaMetadata:"))
    }

    @Test("s.9 a nested model has its full name in its extensions")
    func nested() throws {
        let text = try MacroExpansion("enum V1 {\n    @Model final class A {\n        var x: Int\n    }\n}\n").text
        #expect(text.contains("nonisolated extension V1.A: SwiftData.PersistentModel {"))
        #expect(text.contains("keypath: \\A.x"))
    }

    private func expanded(_ declaration: String) throws -> (text: String, report: String) {
        let expansion = try MacroExpansion.model("    \(declaration)")
        return (expansion.text, expansion.report)
    }
}

@Suite("What cannot be a property of a model is reported where it stands", .enabled(if: MacroExpansion.program != nil))
struct ModelDiagnosticTests {
    @Test(
        "s.9 an error or a warning with the line, and what mends it",
        arguments: [
            (
                "var a, b: Int",
                "2:9: error: Declare each persisted property of a model on its own\n"
            ),
            (
                "var (a, b) = (1, 2)",
                "2:9: error: Declare each persisted property of a model on its own\n"
            ),
            (
                "weak var x: B?",
                "2:5: error: 'x' is persisted: it cannot be weak or unowned. Models are related by their identifiers\n"
                    + "    fix-it: Remove 'weak'\n"
            ),
            (
                "unowned var x: B",
                "2:5: error: 'x' is persisted: it cannot be weak or unowned. Models are related by their identifiers\n"
                    + "    fix-it: Remove 'unowned'\n"
            ),
            (
                "var isDeleted: Bool = false",
                "2:9: error: A model cannot persist a property named 'isDeleted'\n"
            ),
            ("var `class`: Int", ""), ("var zone: Int", ""), ("var copy: Int", ""), ("var entity: Int", ""),
            ("var x = []", "2:9: error: 'x' needs a type: its value does not tell one\n"),
            ("var x = [:]", "2:9: error: 'x' needs a type: its value does not tell one\n"),
            ("var x = nil", "2:9: error: 'x' needs a type: its value does not tell one\n"),
            (
                "var x: () -> Void = {}",
                "2:12: error: 'x' has a type that is never Codable: it cannot be saved\n"
                    + "    fix-it: Mark it '@Transient'\n"
            ),
            (
                "var x: (@Sendable (Int) -> Int)?",
                "2:12: error: 'x' has a type that is never Codable: it cannot be saved\n"
                    + "    fix-it: Mark it '@Transient'\n"
            ),
            (
                "var x: (Int, Int)",
                "2:12: error: 'x' has a type that is never Codable: it cannot be saved\n"
                    + "    fix-it: Mark it '@Transient'\n"
            ),
            (
                "var x: any Shape",
                "2:12: error: 'x' has a type that is never Codable: it cannot be saved\n"
                    + "    fix-it: Mark it '@Transient'\n"
            ),
            ("var x", "2:9: error: 'x' needs a type: its value does not tell one\n"),
            (
                "@Transient @Attribute(.unique) var x = 1",
                "2:5: error: 'x' is transient: it is no attribute or relationship of its entity\n"
                    + "    fix-it: Remove '@Transient'\n    fix-it: Remove '@Attribute'\n"
            ),
            (
                "@Attribute(.unique) @Relationship var x: B?",
                "2:25: error: 'x' is either an attribute or a relationship\n"
            ),
            (
                "@Attribute(.unique) var x: Int { 1 }",
                "2:5: warning: 'x' is not a stored property of models: it is not saved\n"
                    + "    fix-it: Remove '@Attribute'\n"
            ),
            (
                "@Relationship static var x: B? = nil",
                "2:5: warning: 'x' is not a stored property of models: it is not saved\n"
                    + "    fix-it: Remove '@Relationship'\n"
            ),
            (
                "@Relationship(inverse: \\A.x) var x: A?",
                "2:5: error: The relationship 'x' names itself as its inverse\n"
            ),
            (
                "var x = 1 {\n        didSet {}\n    }",
                "2:15: warning: The observers of 'x' are not called: it is persisted\n"
                    + "    fix-it: Mark it '@Transient'\n"
            ),
            (
                "@Transient var x: [Int]",
                "2:20: error: The transient property 'x' needs a default value\n"
                    + "    fix-it: Make it optional\n"
            ),
            (
                "#Unique<B>([\\.x])\n    var x: Int",
                "2:13: error: This stands in 'A', and can be of its properties only\n"
                    + "    fix-it: Replace 'B' with 'A'\n"
            ),
            ("#Unique<V1.A>([\\.x])\n    var x: Int", ""),
            (
                "#Index<A>([\\.x], [\\.y, \\.x])\n    var x: Int",
                "2:25: error: 'y' is no saved property of the model\n"
            ),
            ("#Index<A>(.rtree([\\.z]))", "2:25: error: 'z' is no saved property of the model\n"),
        ])
    func properties(_ declaration: String, _ expected: String) throws {
        #expect(try MacroExpansion.model("    \(declaration)").report == expected)
    }

    @Test(
        "s.9 what is no class, or a generic one, is no model",
        arguments: [
            (
                "@Model actor A {\n}\n",
                "1:8: error: @Model can only be attached to a class, not to an actor\n"
                    + "    fix-it: Replace 'actor' with 'class'\n"
            ),
            ("@Model final class A {\n    var x: Int\n}\n",
                "1:20: error: 'A' has no initializer: declare one, so that models can be made\n"),
            ("@Model enum A {\n}\n", "1:8: error: @Model can only be attached to a class, not to an enum\n"),
            ("@Model protocol A {\n}\n", "1:8: error: @Model can only be attached to a class, not to a protocol\n"),
            ("@Model extension A {\n}\n", "1:8: error: @Model can only be attached to a class, not to an extension\n"),
            (
                "@Model final class A<T> {\n    init() {}\n}\n",
                "1:21: error: A model cannot be generic: 'A' is one entity, with one name\n"
            ),
            (
                "@ModelActor struct A {\n}\n",
                "1:13: error: @ModelActor can only be attached to an actor, not to a struct\n"
                    + "    fix-it: Replace 'struct' with 'actor'\n"
            ),
        ])
    func types(_ source: String, _ expected: String) throws {
        #expect(try MacroExpansion(source).report == expected)
    }
}
