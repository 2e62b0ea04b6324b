import SourcePorting
import Testing

@Suite("Sources for Apple's systems become sources for Linux")
struct PorterTests {
    /// A source, and its copy below the line that names the source.
    struct Sample: Sendable, CustomTestStringConvertible {
        var source: String
        var copy: String
        var testDescription: String { source }

        init(_ source: String, _ copy: String) {
            self.source = source
            self.copy = copy
        }
    }

    private func porter(_ text: String) -> Porter {
        Porter(path: "A.swift", text: text, index: PortIndex(files: [("A.swift", text)]))
    }

    private func copy(_ text: String) -> String { porter(text).text }

    private static let head = "#sourceLocation(file: \"A.swift\", line: 1)\n"

    @Test(
        "Attributes of Objective-C are left out, and columns stay",
        arguments: [
            Sample("@objc(Order) class Order: Base {}", "             class Order: Base {}"),
            Sample("@objc\nclass A: B { @nonobjc func f() {} }", "     \nclass A: B {          func f() {} }"),
            Sample("@objcMembers final class A {}", "             final class A {}"),
            Sample(
                "@objc(addItems:) @NSManaged func add(_ i: Item)", "                 @NSManaged func add(_ i: Item)"),
            Sample("@IBOutlet weak var a: A?", "          weak var a: A?"),
            Sample("dynamic var a = 1", "        var a = 1"),
            Sample("let dynamic = a.dynamic", "let dynamic = a.dynamic"),
            Sample("@objc enum Status: Int16 { case a }", "      enum Status: Int16 { case a }"),
            Sample("@objc protocol P { func f() }", "      protocol P: AnyObject { func f() }"),
            Sample("@objc protocol P: Q { func f() }", "      protocol P: AnyObject, Q { func f() }"),
            Sample("@objc protocol P: class { func f() }", "      protocol P: class { func f() }"),
        ])
    func attributes(_ sample: Sample) { #expect(copy(sample.source) == Self.head + sample.copy) }

    @Test(
        "Comments, literals and parts for Apple's systems stay as they are",
        arguments: [
            "// @objc\n/* @objc /* #keyPath(A.b) */ dynamic var */ let a = 1",
            "let a = \"@objc #keyPath(A.b)\"",
            "let a = #\"\\(#keyPath(A.b)) @objc\"#",
            "let a = \"\"\"\n    @objc #keyPath(A.b)\n    \"\"\"",
            "#if canImport(ObjectiveC)\n@objc class A {}\n#else\nclass A {}\n#endif",
            "#if os(iOS)\nimport UIKit\n@objc class A {}\n#endif",
            "let a = value as! [A], b = c as? D",
            "let a = [/@objc \\//, /[{\"]/, #/@objc \\/ {/#], b = (/), c = a / b",
        ])
    func untouched(_ text: String) { #expect(copy(text) == Self.head + text) }

    @Test(
        "Behind a literal with a brace or a quote, a source is ported",
        arguments: [
            "#\"\"\"#", "/[{\"]/", "/https:\\/\\//", "#/\n[{\"]\n/#", "b/c", "b / c / d", "+, /", "/A.b, /A.c",
            "a /= { b/c }", "{ func /(a: A, b: A) -> A { a.a/b.a } }",
        ])
    func literals(_ text: String) {
        let before = "enum O { func f() { g(\(text)) { $0 } }\nclass A { let b = "
        let path = "_portedKeyPath(O.A.self, { _ = $0.b }, \"b\")"
        #expect(copy(before + "#keyPath(b) } }") == Self.head + before + path + " } }")
    }

    @Test(
        "Parts under a flag, and under what the compiler alone knows, are ported on both sides",
        arguments: ["DEBUG", "hasFeature(RegionBasedIsolation)", "arch(arm64)"])
    func flags(_ condition: String) {
        let text = copy("#if \(condition)\n@objc class A {}\n#else\n@objc class B {}\n#endif")
        #expect(text == Self.head + "#if \(condition)\n      class A {}\n#else\n      class B {}\n#endif")
    }

    @Test(
        "Key paths become texts that the compiler checks",
        arguments: [
            Sample(
                "let a = #keyPath(Order.number)",
                "let a = _portedKeyPath(Order.self, { _ = $0.number }, \"number\")"),
            Sample(
                "let a = #keyPath(Order.customer.name)",
                "let a = _portedKeyPath(Order.self, { _ = _portedStep($0.customer).name }, \"customer.name\")"),
            Sample(
                "let a = \"\\(#keyPath(A.b)) == %@\"",
                "let a = \"\\(_portedKeyPath(A.self, { _ = $0.b }, \"b\")) == %@\""),
            Sample(
                "let a = #keyPath(Shop.Order.number)",
                "let a = _portedKeyPath(Shop.Order.self, { _ = $0.number }, \"number\")"),
            Sample(
                "class A { func f() { g(#keyPath(b)) } }",
                "class A { func f() { g(_portedKeyPath(A.self, { _ = $0.b }, \"b\")) } }"),
            Sample(
                "let a = #keyPath(A.`default`)",
                "let a = _portedKeyPath(A.self, { _ = $0.`default` }, \"default\")"),
            Sample("let a = #keyPath(number)", "let a = \"number\""),
            Sample(
                "let a = NSStringFromSelector(#selector(getter: A.b))",
                "let a = _portedKeyPath(A.self, { _ = $0.b }, \"b\")"),
        ])
    func keyPaths(_ sample: Sample) { #expect(copy(sample.source).hasSuffix(Self.head + sample.copy)) }

    @Test("Imports that Linux lacks are guarded, and the next line keeps its number")
    func lackingImports() {
        let next = "\n#sourceLocation(file: \"A.swift\", line: 2)"
        #expect(
            copy("import UIKit\nlet a = 1") == "import Foundation\n" + Self.head
                + "\n#if canImport(UIKit)\nimport UIKit\n#endif" + next + "\nlet a = 1")
        #expect(
            copy("import Foundation\nimport Combine").hasSuffix(
                "\n#if canImport(Combine)\nimport Combine\n#elseif canImport(OpenCombine)\nimport OpenCombine\n#endif"
                    + "\n#sourceLocation(file: \"A.swift\", line: 3)"))
    }

    @Test(
        "Imports are added where a file uses names of a module",
        arguments: [
            Sample("let a: NSManagedObject", "import CoreData\n"), Sample("let a = Date()", "import Foundation\n"),
            Sample("import Foundation\nlet a: NSPredicate", "import CoreData\n"),
            Sample("import CoreData\nlet a: Date", ""),
            Sample("import Foundation\nlet a = URLSession.shared", "import FoundationNetworking\n"),
            Sample("import Foundation\nvar a: URLSessionTask?", "import FoundationNetworking\n"),
            Sample("let a = b.Date", ""),
            Sample("import Foundation\nvar a: NSFastEnumerationIterator", "import CoreData\n"),
            Sample("import Foundation\nlet a = [NSLocalizedFailureErrorKey: \"\"]", "import CoreData\n"),
        ])
    func missingImports(_ sample: Sample) {
        #expect(copy(sample.source) == sample.copy + Self.head + sample.source)
    }

    @Test("Imports of parts of Core Data import the module")
    func submodules() {
        #expect(copy("import CoreData.NSManagedObject") == Self.head + "import CoreData")
        #expect(copy("import class CoreData.NSManagedObject") == Self.head + "import CoreData")
        #expect(copy("import struct Foundation.Date") == Self.head + "import struct Foundation.Date")
    }

    @Test(
        "Casts of requests, and literals of sets",
        arguments: [
            Sample(
                "let r = a.b() as! NSFetchRequest<Order>", "let r = a.b() ~~>! NSFetchRequest<Order>.self"),
            Sample(
                "protocol P { associatedtype R: NSFetchRequestResult }",
                "protocol P { associatedtype R                       }"),
            Sample("associatedtype R: NSFetchRequestResult & Q", "associatedtype R: NSFetchRequestResult & Q"),
            Sample(
                "if let r = a as? NSFetchRequest<NSFetchRequestResult> {}",
                "if let r = a ~~> NSFetchRequest<any NSFetchRequestResult>.self {}"),
            Sample("let s = [a, [b]] as NSSet", "let s = NSSet(array: [a, [b]])         "),
            Sample("let s: NSSet = [a]", "let s: NSSet = NSSet(array: [a])"),
            Sample("let s = members[0] as NSSet", "let s = members[0] as NSSet"),
            Sample("f([] as NSOrderedSet)", "f(NSOrderedSet(array: [])                )"),
        ])
    func expressions(_ sample: Sample) { #expect(copy(sample.source).hasSuffix(Self.head + sample.copy)) }

    @Test(
        "Observers are methods instead of their names",
        arguments: [
            Sample("#selector(g(_:))", "A.g(_:)"), Sample("#selector(self.g)", "A.g"), Sample("#selector(B.g)", "B.g"),
        ])
    func observers(_ sample: Sample) {
        let call = "class A { func f() { c.%(self, selector: $, name: n, object: nil); center.^(self) } }"
        func text(_ names: [Character: String]) -> String { call.map { names[$0] ?? String($0) }.joined() }
        let source = text(["%": "addObserver", "$": sample.source, "^": "removeObserver"])
        let ported = text(["%": "addPortedObserver", "$": sample.copy, "^": "removePortedObserver"])
        #expect(copy(source) == Self.head + ported)
        #expect(porter(source).findings.map(\.kind) == [.observer])
    }

    @Test("Optional methods get default implementations, and are called as others")
    func optionalMethods() {
        let text = copy("@objc public protocol P {\n@objc optional func f(_ a: A)\n}\nfunc g() { p?.f?(a); q.f?.h }")
        #expect(
            text == Self.head + "      public protocol P: AnyObject {\n               func f(_ a: A)\n}"
                + "; extension P { public func f(_ a: A) {} }\nfunc g() { p?.f (a); q.f?.h }")
    }

    @Test("A private class with accessors becomes internal, another stays")
    func privateClasses() {
        let text = "private class A: O { @NSManaged var a: Int }\nprivate class B: O { var b = 1 }"
        #expect(
            copy(text) == Self.head + "        class A: O { @NSManaged var a: Int }\nprivate class B: O { var b = 1 }")
    }

    @Test("An override in an extension is compiled in its class, at its own line")
    func overrides() {
        let here = ("A.swift", "class A: B {\n}\n")
        let head = "import X\npublic extension A {\n    "
        let there = ("C.swift", head + "@objc override func f() {\n    }\n    var g: Int { 1 }\n}\n")
        let index = PortIndex(files: [here, there])
        let copies = [here, there].map { Porter(path: $0.0, text: $0.1, index: index) }
        #expect(
            copies[0].text == "import X\n" + Self.head
                + "class A: B {\n\n#sourceLocation(file: \"C.swift\", line: 3)\n"
                + "public       override func f() {\n    }\n"
                + "#sourceLocation(file: \"A.swift\", line: 2)\n}\n")
        #expect(copies[1].text.hasSuffix("public extension A {\n    \n\n    var g: Int { 1 }\n}\n"))
        #expect(copies.flatMap(\.findings).filter { $0.kind == .override }.count == 1)
        let alone = Porter(path: there.0, text: there.1, index: PortIndex(files: [there]))
        #expect(alone.findings.contains { $0.kind == .overrideElsewhere && $0.line == 3 })
        #expect(alone.text.contains("override func f()"))
    }

    @Test(
        "Names and labels that are words of declarations elsewhere stay as they are",
        arguments: [
            "class A {}\nextension A { func f(_ override: B) -> C { override.c } }",
            "class A {}\nextension A { func f(override override: B, override: B) { g(override) } }",
        ])
    func names(_ text: String) { #expect(copy(text) == Self.head + text) }

    @Test("A label or a case with the name of a kind of type begins no type", arguments: ["actor", "class"])
    func labels(_ word: String) {
        let local = " { class Note: NSManagedObject { @NSManaged var a: Int } } }"
        func text(_ label: String) -> String { copy("extension A { func f(\(label) a: B)" + local) }
        #expect(text(word) == text("label").replacing("label", with: word))
        func film(_ name: String) -> String { copy("enum A { case \(name)\n case film(B)\n func f()" + local) }
        #expect(film("actor") == film("label").replacing("label", with: "actor"))
    }

    @Test(
        "What cannot be ported is found with its line",
        arguments: [
            ("a(#selector(b))", PortFinding.Kind.selector), ("a.observe(\\.b) { _ in }", .observation),
            ("import Combine\nlet a: AnyCancellable", .publisher), ("import SwiftUI\nstruct A: View {}", .view),
            ("import UIKit\nlet a: UIColor", .interface), ("let a: NSPersistentCloudKitContainer", .cloud),
            ("import UIKit\nclass A: ObservableObject {}", .publisher), ("import SwiftUI\nlet a: Color", .view),
            ("import UserNotifications\nlet a: UNNotificationRequest", .interface),
            ("import AVFoundation\nlet a: AVURLAsset", .interface),
            ("import Accelerate\nvDSP_maxmgv(a, 1, &b, c)", .interface),
            ("import MapKit\nlet a: CLLocation", .interface), ("@Published var a = 1", .publisher),
            ("class A: ObservableObject {}", .publisher), ("a.cloudKitContainerOptions = b", .cloud),
            ("import SwiftUI\nfunc f(_ a: FetchedResults<A>) {}", .view), ("let a = NSDataDetector()", .foundation),
            ("a.waitsForConnectivity = true", .foundation),
            ("extension NSManagedObject { @objc func f() {} }\nclass A: B { override func f() }", .extensionOverride),
            ("@objc protocol P {\n@objc optional func f() -> Int\n}", .optionalRequirement),
            ("objc_getClassList(nil, 0)", .runtime), ("a.addObserver(b, forKeyPath: \"c\")", .observation),
            ("switch a { case let b as NSFetchRequest<B>: c }", .castPattern),
            ("class A { @objc(b) var c = 1 }", .memberName),
        ])
    func refusals(_ text: String, _ kind: PortFinding.Kind) throws {
        let refused = porter(text).findings.filter { !$0.kind.isPorted }
        #expect(refused.map(\.kind) == [kind])
        #expect(refused.first?.line == (text.contains("\n") ? 2 : 1))
    }

    @Test(
        "Names of Foundation that begin as those of a framework are no refusals",
        arguments: ["import CoreGraphics\nlet a: CGRect", "import Security\nlet a: Second"])
    func geometry(_ text: String) { #expect(!porter(text).findings.contains { !$0.kind.isPorted }) }

    @Test(
        "Branches for other systems alone are found where Linux needs one",
        arguments: [
            ("var a: B {\n#if os(iOS)\nreturn c\n#elseif os(macOS)\nreturn d\n#endif\n}", [2]),
            ("#if os(iOS)\ntypealias A = B\n#elseif canImport(AppKit)\npublic typealias A = C\n#endif", [1]),
            ("var a: B {\n#if os(iOS)\nreturn c\n#elseif os(macOS)\nreturn d\n#endif\nreturn e }", []),
            ("#if os(iOS)\nimport UIKit\n#elseif os(macOS)\nimport AppKit\n#endif", []),
            ("var a: B {\n#if os(iOS)\nreturn c\n#else\nreturn d\n#endif\n}", []),
            ("var a: B {\n#if os(iOS)\nreturn c\n#elseif DEBUG\nreturn d\n#endif\n}", []),
        ])
    func platforms(_ text: String, _ lines: [Int]) {
        #expect(porter(text).findings.filter { $0.kind == .platform }.map(\.line) == lines)
    }

    @Test("A name of Combine that the target declares is its own")
    func ownPublisher() {
        let findings = porter("protocol ObservableObject {}\nclass A: ObservableObject {}").findings
        #expect(!findings.contains { !$0.kind.isPorted })
    }

    @Test("The @objc properties of a plain class are read by their names, unless other files do not see it")
    func plainKeys() throws {
        let text = "class A: NSObject { @objc let a = 1; var b = 2 }\nclass B: A { @objc var c: Int { 1 } }\n"
        let hidden = """
            class C<T>: NSObject { @objc var d = 1 }
            private class D: NSObject { @objc var d = 1 }
            @MainActor class E: NSObject { @objc var d = 1 }
            class F { class G: NSObject { @objc var d = 1 } }
            class H: Operation { @objc var d = 1 }
            """
        let listed = try PortIndex(files: [("A.swift", text + hidden)]).text().split(separator: "\n")
        let keys = listed.filter { $0.contains("_PortedKeys: ") || $0.contains("add(\\") }.map { $0.prefix(18) }
        #expect(keys == ["final class A_Port", "        add(\\A.`a`", "final class B_Port", "        add(\\B.`c`"])
    }

    @Test("The bundle of a class is the target's, if the target has resources", arguments: ["", ".init"])
    func bundles(_ initializer: String) {
        let text = "let a = Bundle\(initializer)(for: A.self).url"
        let index = PortIndex(files: [("A.swift", text)], modules: ["Bundle.module"])
        #expect(Porter(path: "A.swift", text: text, index: index).text.hasSuffix("let a = Bundle.module.url"))
        #expect(copy(text).hasSuffix(text))
    }

    @Test("A resource of the app's bundle is the target's, if the target has resources")
    func mainBundle() {
        let text = "let a = Bundle.main.url(forResource: b, withExtension: c)"
        let index = PortIndex(files: [("A.swift", text)], modules: ["Bundle.module"])
        let ported = Porter(path: "A.swift", text: text, index: index).text
        #expect(ported.hasSuffix("let a = Bundle.module.url(forResource: b, withExtension: c)"))
        #expect(copy(text).hasSuffix(text))
    }

    @Test("The index is read as it was written")
    func index() throws {
        let files = [("A.swift", "@objc(Order) class A: B {}\nlet r = a as! NSFetchRequest<A>\n")]
        let index = PortIndex(files: files)
        let text = try index.text()
        #expect(try PortIndex(text: text) == index)
        #expect(text.contains("final class Order_ClassName: GeneratedClassName"))
        #expect(text.contains("infix operator ~~>!"))
        #expect(!text.contains("_portedKeyPath"))
    }
}
