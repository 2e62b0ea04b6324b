import SourcePorting
import Testing

@Suite("Habits of Apple's runtime and test runner are ported")
struct RuntimeHabitTests {
    private func porter(_ text: String) -> Porter {
        Porter(path: "A.swift", text: text, index: PortIndex(files: [("A.swift", text)]))
    }

    private func copy(_ text: String) -> String {
        let lines = porter(text).text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.drop { $0.hasPrefix("import ") || $0.hasPrefix("#sourceLocation") }.joined(separator: "\n")
    }

    private func support(_ text: String) throws -> String { try PortIndex(files: [("A.swift", text)]).text() }

    @Test("Imports of parts of modules import the module, C's library has its parts on Linux too")
    func submodules() {
        #expect(porter("import Sync.NSEntity_Key").text.hasSuffix("import Sync"))
        #expect(porter("import Glibc.math").text.hasSuffix("import Glibc.math"))
        #expect(porter("import class Sync.Key").text.hasSuffix("import class Sync.Key"))
    }

    @Test("A test of the main actor is called by one of no actor")
    func mainActorTests() {
        let text = copy("import XCTest\n@MainActor class T: C { func testA() throws { f() } }")
        #expect(
            text.hasSuffix(
                "nonisolated func testA() throws { try MainActor.assumeIsolated { try self.ported_testA() } }; "
                    + "func ported_testA() throws { f() } }"))
        let method = copy("import XCTest\nclass T: C { @MainActor func testA() { f() } }")
        #expect(
            method.hasSuffix(
                "nonisolated func testA() { nonisolated(unsafe) let test = self; "
                    + "MainActor.assumeIsolated { test.ported_testA() } }; @MainActor func ported_testA() { f() } }"))
    }

    @Test(
        "Other tests and helpers stay as they are",
        arguments: [
            "import XCTest\n@MainActor class T: C { func testA() async { f() } }",
            "import XCTest\n@MainActor class T: C { private func testA() { f() } }",
            "import XCTest\n@MainActor class T: C { func testURL() -> URL { f() } }",
            "import XCTest\nclass T: C { func testA() { f() } }",
        ])
    func otherTests(_ text: String) { #expect(copy(text) == String(text.split(separator: "\n")[1])) }

    @Test("A class inherits the main actor of its base in another file")
    func inheritedActor() {
        let base = ("B.swift", "import XCTest\n@MainActor class Base: XCTestCase {}")
        let own = ("A.swift", "import XCTest\nclass T: Base { func testA() {} }")
        let porter = Porter(path: own.0, text: own.1, index: PortIndex(files: [base, own]))
        #expect(porter.findings.map(\.kind) == [.mainActorTest])
    }

    @Test("A wait with a timeout is followed by the main queue's work, one of the target's own is not")
    func waits() {
        let call = "func f() { wait(for: [e], timeout: 1) }"
        #expect(copy("import XCTest\n" + call) == "func f() { portedWait(for: [e], timeout: 1) }")
        #expect(copy("import XCTest\nfunc f() { waiter.wait(for: [e], timeout: 1) }").contains("waiter.wait(for"))
        let own = "func wait(for a: A, timeout: Int) {}; func f() { wait(for: a, timeout: 1) }"
        #expect(copy("import XCTest\n" + own) == own)
    }

    @Test("Classes in a function are compiled in the type around it, at their own lines")
    func localClasses() {
        let source = """
            class T: C {
                func testA() {
                    class A: NSManagedObject {
                        @NSManaged var a: Int
                    }
                    final class B: A {}
                    f(B.self)
                }
            }
            """
        let expected = """
            class T: C {
                func testA() {
                    typealias A = T.PortedLocal2.A


                    typealias B = T.PortedLocal2.B
                    f(B.self)
                }
            }
            extension T { enum PortedLocal2 {
            #sourceLocation(file: "A.swift", line: 3)
            class A: NSManagedObject {
                        @NSManaged var a: Int
                    }
            #sourceLocation(file: "A.swift", line: 6)
            final class B: A {}
            } }

            """
        #expect(copy(source) == expected)
        #expect(copy("func f() { class A { var a = 1 } }") == "func f() { class A { var a = 1 } }")
    }

    @Test(
        "What Foundation on Linux lacks is said in its words",
        arguments: [
            ("let a = Bundle.main.bundleIdentifier!",
                "let a = (Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName)"),
            ("let a = Bundle.main.bundleIdentifier", "let a = Bundle.main.bundleIdentifier"),
            ("let a = Bundle(identifier: b)", "let a = Bundle.ported(identifier: b)"),
            ("let a = ProcessInfo().environment", "let a = ProcessInfo.processInfo.environment"),
            ("d.setOption(true as NSObject, forKey: k)", "d.setOption(true ~~~> NSObject.self, forKey: k)"),
            ("if let a = b as? NSObject {}", "if let a = b as? NSObject {}"),
        ])
    func foundation(_ source: String, _ expected: String) { #expect(copy(source) == expected) }

    @Test("An observer that a variable has is passed with its method")
    func variableObserver() {
        let call = "c.addObserver(own, selector: #selector(own.changed(_:)), name: n, object: nil)"
        let expected = "c.addPortedObserver(own, selector: { $0.changed(_:) }, name: n, object: nil)"
        #expect(copy("import CoreData\nfinal class A { func f() { \(call) } }").contains(expected))
        #expect(porter("import CoreData\n" + call).findings.map(\.kind) == [.observer])
        let other = "c.addObserver(self, selector: #selector(own.changed(_:)), name: n, object: nil)"
        #expect(!copy("import CoreData\nfinal class A { func f() { \(other) } }").contains("$0.changed"))
    }

    @Test(
        "The comparison of a sort descriptor is named",
        arguments: [
            "NSString.localizedStandardCompare", "NSString.localizedStandardCompare(_:)",
            "NSString.localizedStandardCompare(_:) as (NSString) -> (String) -> ComparisonResult",
        ])
    func comparisons(_ method: String) {
        let porter = porter("import CoreData\nlet s = #selector(\(method))")
        #expect(porter.text.hasSuffix("\nlet s = Selector(\"localizedStandardCompare:\")"))
        #expect(porter.findings.map(\.kind) == [.comparison])
        #expect(self.porter("import CoreData\nlet s = Selector((\"compare:\"))").findings.isEmpty)
        let other = self.porter("import CoreData\nlet s = #selector(NSString.compare(_:options:))")
        #expect(other.findings.map(\.kind) == [.selector])
    }

    @Test("A migration policy answers the calls of its methods by their names in Objective-C")
    func migrationMethods() throws {
        let text = """
            class A: NSEntityMigrationPolicy { @objc func make() -> NSUUID { f() } }
            public class B: A {
                @objc func uuidForId(id: NSNumber, in text: [String: Int]) -> NSUUID { f() }
                @objc func upper(_ text: String) -> String { f() }
                @objc func text(forNumber number: Int) -> String { f() }
                @objc(own:) func other(a: Int) -> Int { f() }
                @objc func fail() throws -> Int { f() }
                func plain() -> Int { f() }
            }
            class C: NSObject { @objc func d() -> Int { f() } }
            """
        let copy = copy(text)
        let first = "f() }  override func value(ofMethod name: String, arguments: [Any?]) throws -> Any? "
        #expect(copy.contains(first + "{ switch (name, arguments.count) { case (\"make\", 0): return make(); default"))
        #expect(copy.contains("public override func value(ofMethod"))
        let (argument, second) = ("try portedArgument(arguments[0])", "try portedArgument(arguments[1])")
        for call in [
            "case (\"uuidForIdWithId:in:\", 2): return uuidForId(id: \(argument), in: \(second));",
            "case (\"upper:\", 1): return upper(\(argument));",
            "case (\"textForNumber:\", 1): return text(forNumber: \(argument));",
            "case (\"own:\", 1): return other(a: \(argument));",
        ] { #expect(copy.contains(call)) }
        #expect(copy.ranges(of: "case (").count == 5)
        #expect(try support(text).contains("func portedArgument<"))
    }

    @Test("A migration policy answers the calls of an extension's methods, and of all that Objective-C knows")
    func otherMigrationMethods() {
        let policy = "class A: NSEntityMigrationPolicy {}\nextension A { @objc func make() -> Int { 1 } }\n"
        #expect(copy(policy).contains("case (\"make\", 0): return make(); default"))
        let listed = "@objcMembers class B: NSEntityMigrationPolicy { func make() -> Int { 1 } }\n"
        #expect(copy(listed).contains("case (\"make\", 0): return make(); default"))
    }

    @Test("Locks of objects are declared for the target, and are no refusal")
    func objectLocks() throws {
        let text = "func f() { objc_sync_enter(self); defer { objc_sync_exit(self) } }"
        #expect(porter(text).findings.map(\.kind) == [.declaration, .declaration])
        #expect(try support(text).contains("func objc_sync_enter("))
    }

    @Test("Two optional methods of a protocol stand on its last line")
    func optionalMethods() {
        let text = copy("@objc protocol P { @objc optional func f()\n@objc optional func g() }")
        #expect(text.hasSuffix("func g() }; extension P { func f() {} }; extension P { func g() {} }"))
    }
}
