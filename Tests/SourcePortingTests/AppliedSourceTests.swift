import SourcePorting
import Testing

@Suite("Edits are written into sources that both systems compile")
struct AppliedSourceTests {
    private func applied(_ files: [(path: String, text: String)]) -> [AppliedSource] {
        let index = PortIndex(files: files)
        return files.map { AppliedSource(path: $0.path, text: $0.text, index: index) }
    }

    private func applied(_ text: String) -> String { applied([("A.swift", "import CoreData\n" + text)])[0].text }

    private func guarded(_ objectiveC: String, _ other: String? = nil) -> String {
        "#if canImport(ObjectiveC)\n\(objectiveC)" + (other.map { "#else\n\($0)" } ?? "") + "#endif\n"
    }

    private static let head = "import CoreData\n"

    @Test("Attributes stand on lines of their own before their declarations")
    func attributes() {
        #expect(applied("@objc(Order)\nclass A {}\n") == Self.head + guarded("@objc(Order)\n") + "class A {}\n")
        let several = "@objc(Order) @objcMembers\n"
        #expect(applied(several + "class A {}\n") == Self.head + guarded(several) + "class A {}\n")
        #expect(applied("public @objc class A {}\n") == Self.head + guarded("@objc\n") + "public class A {}\n")
        let member = "class A {\n    @IBOutlet @objc class var a: Int { 1 }\n}\n"
        #expect(
            applied(member) == Self.head + "class A {\n    #if canImport(ObjectiveC)\n    @IBOutlet @objc\n    #endif\n"
                + "    class var a: Int { 1 }\n}\n")
        #expect(
            applied("class A { @objc func f() {} }\n") == Self.head + "class A { \n" + guarded("@objc\n")
                + "func f() {} }\n")
        let plain = "@nonobjc class A { dynamic var a = 1 }\n"
        #expect(applied(plain) == Self.head + plain)
    }

    @Test(
        "What both systems compile stands once",
        arguments: [
            ("let a = #keyPath(A.b.c)\n", "let a = \"b.c\"\n"),
            ("let a = [b] as NSSet\n", "let a = NSSet(array: [b])\n"),
            ("let a: NSFetchRequest<NSFetchRequestResult>\n", "let a: NSFetchRequest<any NSFetchRequestResult>\n"),
            ("private class A: NSManagedObject {}\n", "class A: NSManagedObject {}\n"),
            ("let a: Foundation.ValueTransformer\n", "let a: ValueTransformer\n"),
            ("import UIKit\n", "#if canImport(UIKit)\nimport UIKit\n#endif\n"),
            ("protocol P {}\n", "protocol P {}\n"),
        ])
    func shared(_ source: String, _ result: String) { #expect(applied(source) == Self.head + result) }

    @Test(
        "A statement that only one system compiles stands twice, with all of its lines",
        arguments: [
            ("let a = f(\n    b as! NSFetchRequest<A>)\n", "let a = f(\n    b ~~>! NSFetchRequest<A>.self)\n"),
            (
                "guard\n    let a = b as? NSFetchRequest<A>\nelse { c }\n",
                "guard\n    let a = b ~~> NSFetchRequest<A>.self\nelse { c }\n"
            ),
            ("func f() { a as! NSFetchRequest<A> }\n", "func f() { a ~~>! NSFetchRequest<A>.self }\n"),
            ("let a = b.urls(forResourcesWithExtension: c)\n", "let a = b.portedURLs(forResourcesWithExtension: c)\n"),
            ("a = T.superclass()\n    .b\n", "a = T.superclass\n    .b\n"),
        ])
    func doubled(_ source: String, _ other: String) {
        let result = applied("let x = 1\n" + source + "let y = 2\n")
        #expect(result == Self.head + "let x = 1\n" + guarded(source, other) + "let y = 2\n")
    }

    @Test("A case of a switch stands twice as a whole")
    func cases() {
        let start = "switch a {\n", end = "default: c\n}\n"
        let source = "case .a:\n    b()\n    return x as! NSFetchRequest<A>\n    d()\n"
        let statement = "    return x as! NSFetchRequest<A>\n"
        let other = "    return x ~~>! NSFetchRequest<A>.self\n"
        #expect(
            applied(start + source + end).contains(
                "    b()\n    #if canImport(ObjectiveC)\n" + statement + "    #else\n" + other + "    #endif\n    d()\n"
            ))
        let short = "case .a: x as! NSFetchRequest<A>\n    d()\n"
        #expect(
            applied(start + short + end)
                == Self.head + start
                + guarded(short, short.replacing("as! NSFetchRequest<A>", with: "~~>! NSFetchRequest<A>.self"))
                + end)
    }

    @Test("An optional requirement is implemented where it is none")
    func optionalRequirements() {
        let result = applied("@objc protocol P {\n    @objc optional func f()\n}\n")
        #expect(
            result == Self.head + guarded("@objc\n") + "protocol P: AnyObject {\n    #if canImport(ObjectiveC)\n"
                + "    @objc optional func f()\n    #else\n    func f()\n    #endif\n}\n\n#if !canImport(ObjectiveC)\n"
                + "extension P { func f() {} }\n#endif\n")
    }

    @Test("An override moves from the extension to the class, without its attribute")
    func overrides() {
        let files = [
            ("A.swift", "class A: NSManagedObject {\n}\n"),
            ("B.swift", "import CoreData\nextension A {\n    @objc override func f() {\n    }\n\n    func g() {}\n}\n"),
        ]
        let results = applied(files)
        #expect(results[0].text == "import CoreData\nclass A: NSManagedObject {\n\n    override func f() {\n    }\n}\n")
        #expect(results[1].text == "import CoreData\nextension A {\n    func g() {}\n}\n")
        #expect(results.flatMap(\.left).isEmpty)
    }

    @Test("An override with words that both systems compile in another form moves with that form")
    func rewrittenOverride() {
        let results = applied([
            ("A.swift", "class A: NSManagedObject {\n}\n"),
            ("B.swift", "import CoreData\nextension A {\n    override func f() { g(#keyPath(A.b)) }\n}\n"),
        ])
        let moved = "import CoreData\nclass A: NSManagedObject {\n\n    override func f() { g(\"b\") }\n}\n"
        #expect(results[0].text == moved)
        #expect(results[1].text == "import CoreData\nextension A {\n}\n")
        #expect(results.flatMap(\.left).isEmpty)
    }

    @Test("A second run changes nothing, and what is called stays declared")
    func again() throws {
        let text = """
            import Combine
            @objc(Order) class A: NSManagedObject { @objc dynamic var a: Int { 1 } }
            @objc protocol P {
                @objc optional func f()
            }
            func g() {
                center.addObserver(self, selector: #selector(A.g), name: n, object: nil)
                center.removeObserver(self)
                let r = a as? NSFetchRequest<A>
                p?.f?()
            }
            extension A { override func f() {} }

            """
        let first = PortIndex(files: [("A.swift", text)])
        let once = AppliedSource(path: "A.swift", text: text, index: first)
        let support = try #require(first.appliedText(before: nil))
        let second = PortIndex(files: [("A.swift", once.text)])
        #expect(AppliedSource(path: "A.swift", text: once.text, index: second).text == once.text)
        #expect(second.appliedText(before: support) == support)
        #expect(support.contains("addPortedObserver"))
        #expect(support.contains("{ A.self }"))
        #expect(support.contains("add(\\A.`a`, \"a\")"))
    }

    @Test("What no edit makes work is left, with its place")
    func left() {
        let text = "let a = Selector(\"b\")\nclass A { var b: Int { @objc(isB) get { 1 } } }\n"
        let result = applied([("A.swift", text)])[0]
        #expect(result.left.map(\.kind) == [.selector, .unwritten])
        #expect(result.text == text)
    }

    @Test("Nothing is asked of a file that needs nothing")
    func untouched() {
        let text = "import CoreData\n\n#if canImport(ObjectiveC)\n@objc\n#endif\nclass A: NSManagedObject {}\n"
        let index = PortIndex(files: [("A.swift", text)])
        #expect(AppliedSource(path: "A.swift", text: text, index: index).text == text)
        #expect(index.appliedText(before: nil) == nil)
    }
}
