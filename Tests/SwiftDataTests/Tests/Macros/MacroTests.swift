import Foundation
import Testing

@Suite("The macros' expansions and what they report", .enabled(if: MacroExpansion.program != nil))
struct MacroTests {
    private func expand(_ source: String) throws -> (text: String, report: String) {
        let expansion = try MacroExpansion(source)
        return (expansion.text, expansion.report)
    }

    @Test("s.9 a persisted property goes through the backing data, and tells observers")
    func accessors() throws {
        let (text, report) = try expand("@Model final class A {\n    var name: String = \"x\"\n    init() {}\n}\n")
        #expect(report == "")
        for part in [
            "@storageRestrictions(accesses: _$backingData, initializes: _name)",
            "_$backingData.setValue(forKey: \\.name, to: initialValue)",
            "_$backingData.getValue(forKey: \\.name, of: self, observedBy: _$observationRegistrar)",
            "_$registrar.withMutation(of: self, keyPath: \\.name)",
            "PropertyMetadata(name: \"name\", keypath: \\A.name, defaultValue: (\"x\") as String, metadata: nil)",
            "nonisolated extension A: SwiftData.PersistentModel {", "extension A: Sendable {",
        ] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
    }

    @Test(
        "s.9 a property that is an array is changed in place",
        arguments: [
            ("[B]", true), ("[B]?", true), ("Array<B>", true), ("B", false), ("B?", false), ("[Int: B]", false),
            ("Set<B>", false),
        ])
    func inPlace(_ type: String, _ isInPlace: Bool) throws {
        let (text, report) = try expand("@Model final class A {\n    var x: \(type)\n    init() {}\n}\n")
        #expect(report == "")
        #expect(text.contains("_modify {") == isInPlace)
    }

    @Test("s.9 what attributes and declarations say goes into the metadata")
    func metadata() throws {
        let (text, report) = try expand(
            """
            @Model class A {
                @Attribute(.unique, originalName: "old") var name: String
                @Relationship(deleteRule: .cascade, inverse: \\B.a) var bs: [B] = []
                @Attribute(.transformable(by: "T")) var color: Color
                @Transient var open = false
                static let count = 1
                var computed: Int { 1 }
                #Unique<A>([\\.name])
                #Index<A>(.rtree([\\.name]))
                init() {}
            }
            """)
        #expect(report == "")
        #expect(text.contains("metadata: SwiftData.Schema.Attribute(.unique, originalName: \"old\")"))
        #expect(text.contains("SwiftData.Schema.Relationship(deleteRule: .cascade, inverse: \\B.a)"))
        #expect(text.contains("SwiftData.Schema.Unique<A>([\\.name])"))
        #expect(text.contains("SwiftData.Schema.Index<A>(.rtree([\\.name]))"))
        #expect(text.contains("getTransformableValue(forKey: \\.color, of: self, observedBy: _$observationRegistrar)"))
        for name in ["open", "count", "computed"] {
            #expect(!text.contains("PropertyMetadata(name: \"\(name)\""))
        }
    }

    @Test(
        "s.9 what cannot be a model is reported where it stands",
        arguments: [
            (
                "@Model struct A {\n}\n",
                "1:8: error: @Model can only be attached to a class, not to a struct\n"
                    + "    fix-it: Replace 'struct' with 'class'\n"
            ),
            (
                "@Model class A {\n    let name: String\n    init() {}\n}\n",
                "2:5: warning: 'name' is persisted: declare it with 'var'. Swift 6 refuses 'let' here\n"
                    + "    fix-it: Replace 'let' with 'var'\n    fix-it: Mark it '@Transient'\n"
            ),
            (
                "@Model class A {\n    @Transient var x: Int\n    init() {}\n}\n",
                "2:20: error: The transient property 'x' needs a default value\n"
                    + "    fix-it: Make it optional\n"
            ),
            (
                "@Model class A {\n    var description: String\n    init() {}\n}\n",
                "2:9: error: A model cannot persist a property named 'description'\n"
            ),
            (
                "@Model class A {\n    lazy var x = 1\n    init() {}\n}\n",
                "2:14: warning: 'x' is lazy and is not persisted: mark it @Transient\n"
                    + "    fix-it: Mark it '@Transient'\n"
            ),
            (
                "@ModelActor class A {\n}\n",
                "1:13: error: @ModelActor can only be attached to an actor, not to a class\n"
                    + "    fix-it: Replace 'class' with 'actor'\n"
            ),
        ])
    func diagnostics(_ source: String, _ expected: String) throws {
        #expect(try expand(source).report == expected)
    }

    @Test("s.24 an actor gets a container, an executor and an initializer")
    func modelActor() throws {
        let (text, _) = try expand("@ModelActor public actor Store {\n}\n")
        #expect(text.contains("public nonisolated let modelExecutor: any SwiftData.ModelExecutor"))
        #expect(text.contains("public init(modelContainer: SwiftData.ModelContainer)"))
        #expect(text.contains("extension Store: SwiftData.ModelActor {"))
    }
}
