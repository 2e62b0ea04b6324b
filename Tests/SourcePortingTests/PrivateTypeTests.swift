import SourcePorting
import Testing

@Suite("Private classes that are found by name become internal")
struct PrivateTypeTests {
    /// The copies without their first lines, which name the file.
    private func copies(_ files: [(path: String, text: String)]) -> [String] {
        let index = PortIndex(files: files)
        return files.map { file in
            let text = Porter(path: file.path, text: file.text, index: index).text
            let mark = "#sourceLocation(file: \"\(file.path)\", line: 1)\n"
            return text.components(after: mark)
        }
    }

    @Test("A class of the same name in two files gets a name of its own in both")
    func twice() {
        let text = "private class Note: NSManagedObject {}\nlet a = Note.self, b = c.Note, d = #keyPath(Note.e)\n"
        let copies = copies([("A.swift", text), ("x/B-Tests.swift", "file" + text)])
        #expect(
            copies[0] == "        class Note_A: NSManagedObject {}\nlet a = Note_A.self, b = c.Note, "
                + "d = _portedKeyPath(Note_A.self, { _ = $0.e }, \"e\")\n")
        #expect(copies[1].hasPrefix("            class Note_B_Tests: NSManagedObject {}\nlet a = Note_B_Tests.self"))
    }

    @Test("A class that another file's internal class has the name of is renamed, the other is not")
    func internalElsewhere() {
        let copies = copies([
            ("A.swift", "private class N: NSManagedObject {}"), ("B.swift", "class N {}; let a = N()"),
        ])
        #expect(copies == ["        class N_A: NSManagedObject {}", "class N {}; let a = N()"])
    }

    @Test(
        "Classes of a framework's kind, through other files, become internal; others stay private",
        arguments: [
            ("private class A: NSEntityMigrationPolicy {}", "        class A: NSEntityMigrationPolicy {}"),
            ("fileprivate final class A: ValueTransformer {}", "            final class A: ValueTransformer {}"),
            ("private class A: Base {}", "        class A: Base {}"),
            ("private class A: Other {}", "private class A: Other {}"),
            ("private struct A {}", "private struct A {}"),
        ])
    func kinds(_ text: String, _ copy: String) {
        let base = (path: "B.swift", text: "class Base<T>: NSManagedObject {}; class Other: NSObject {}")
        #expect(copies([("A.swift", text), base])[0] == copy)
    }

    @Test("The private types that such a class uses become internal with it")
    func used() {
        let text = "private enum K { case a }\nprivate class A: NSManagedObject {}\nextension A { var k: K { .a } }\n"
        #expect(copies([("A.swift", text + "private enum L {}")])[0].contains("        enum K"))
        #expect(copies([("A.swift", text + "private enum L {}")])[0].hasSuffix("private enum L {}"))
    }

    @Test("A managed object class in a type is found by both names, and its type becomes internal")
    func nested() throws {
        let text = "private final class T { fileprivate class N: NSManagedObject {} }"
        #expect(copies([("A.swift", text)])[0] == "        final class T {             class N: NSManagedObject {} }")
        let index = try PortIndex(files: [("A.swift", text)]).text()
        #expect(index.contains("final class T_N_ClassName: GeneratedClassName"))
        #expect(index.contains("AnyClass { T.N.self }"))
    }

    @Test("A name for Objective-C of a private class that is no managed object leads nowhere")
    func hiddenClassName() throws {
        let text = "@objc(A) private class N: NSObject {}; private enum T { @objc(B) class M: NSObject {} }"
        let index = try PortIndex(files: [("A.swift", text)]).text()
        #expect(!index.contains("_ClassName"))
    }

    @Test("A name for Objective-C leads to the class under its own name")
    func className() throws {
        let text = "@objc(Order) private class N: NSManagedObject {}"
        let index = try PortIndex(files: [("A.swift", text), ("B.swift", "private class N {}")]).text()
        #expect(index.contains("final class Order_ClassName"))
        #expect(index.contains("{ N_A.self }"))
    }

    @Test("A moved override goes to the class under its own name")
    func moved() {
        let text = "private class N: NSManagedObject {}\nextension N { override func f() {} }\n"
        let copies = copies([("A.swift", text), ("B.swift", "private class N {}")])
        #expect(
            copies[0].hasPrefix("        class N_A: NSManagedObject {\n#sourceLocation(file: \"A.swift\", line: 2)"))
    }
}

extension String {
    fileprivate func components(after mark: String) -> String {
        guard let range = firstRange(of: mark) else { return self }
        return String(self[range.upperBound...])
    }
}
