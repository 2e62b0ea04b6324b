import SourcePorting
import Testing

@Suite("What Foundation on Linux spells otherwise is spelled so in the copy")
struct DifferenceTests {
    private func copy(_ text: String, modules: Set<String> = [], generated: [String] = []) -> String {
        let index = PortIndex(files: [("A.swift", text)], modules: modules, generated: generated)
        let copy = Porter(path: "A.swift", text: text, index: index).text
        let mark = "#sourceLocation(file: \"A.swift\", line: 1)\n"
        guard let range = copy.firstRange(of: mark) else { return copy }
        return String(copy[range.upperBound...])
    }

    private func support(_ text: String) throws -> String { try PortIndex(files: [("A.swift", text)]).text() }

    @Test("Class methods of NSObject become properties, and nothing is left in their place")
    func classMethods() {
        #expect(copy("let a = T.superclass()!, b = T.self.classForCoder()") == "let a = T.superclass!, b = T.self")
        #expect(copy("let a = b.classForCoder, c = superclass()") == "let a = b.classForCoder, c = superclass()")
    }

    @Test("A name of Foundation that is Core Data's here loses the module, and has the import")
    func qualifiedNames() {
        #expect(
            copy("let a: Foundation.ValueTransformer, b: Foundation.Data")
                == "let a:            ValueTransformer, b: Foundation.Data")
        let text = "import Foundation\nlet a: Foundation.NSPredicate"
        let porter = Porter(path: "A.swift", text: text, index: PortIndex(files: [("A.swift", text)]))
        #expect(porter.text.hasPrefix("import CoreData\n"))
        let pool = "let a = ObjectiveC.autoreleasepool { b.ObjectiveC.c }"
        #expect(copy(pool) == "let a = CoreData.autoreleasepool { b.ObjectiveC.c }")
        #expect(Porter(path: "A.swift", text: pool, index: PortIndex(files: [])).text.hasPrefix("import CoreData\n"))
        let logs = copy("import os\nlet a: os.Logger, b: os.OSLogType, c = os.d, e: Logger")
        #expect(logs.hasSuffix("let a: PortedLogger, b:    OSLogType, c = os.d, e: Logger"))
    }

    @Test("A literal that is assigned to a property of NSSet becomes one, if all properties of the name are")
    func setAssignments() {
        let declared =
            "class A { @NSManaged var b: NSSet?; var c: NSOrderedSet; var d: NSSet }\nclass B { var d: [Int] }\n"
        let made = copy(declared + "x.b = [a, [1]]\nx.c = [a]\nx.d = [a]\nb = [a]\nx.b = [a].first\n")
        #expect(
            made.hasSuffix(
                "x.b = NSSet(array: [a, [1]])\nx.c = NSOrderedSet(array: [a])\nx.d = [a]\nb = [a]\nx.b = [a].first\n"))
        #expect(copy("x.e = [a]", generated: ["class A { @NSManaged var e: NSSet? }"]) == "x.e = NSSet(array: [a])")
    }

    @Test("A variable of a function says nothing of properties, and an array of the type itself stays one")
    func setNames() {
        let declared = "class A { var b: NSSet }\n"
        let own = "struct B { let b: [Int]; init() { self.b = [1] } }\n"
        #expect(copy(declared + own).hasSuffix(own))
        let made = copy(declared + "func f() { var b: [A] = []; x.b = [a] }")
        #expect(made.hasSuffix("func f() { var b: [A] = []; x.b = NSSet(array: [a]) }"))
    }

    @Test("An initializer that is required here is required, and a class with others repeats it")
    func requiredInitializers() {
        let own = "class A: NSPersistentContainer { override init(name: String, managedObjectModel: M) {} }"
        #expect(copy(own) == own.replacing("override", with: "required"))
        let hidden = own.replacing("override", with: "private override").replacing("class", with: "public class")
        #expect(copy(hidden).contains("{ public required init(name"))
        for labels in ["a: Int", "name: String, managedObjectModel m: M, error: (E, E)", "name managedObjectModel: M"] {
            let other = copy("class A: NSPersistentContainer { init(\(labels)) {} }")
            #expect(other.contains("required init(name: String, managedObjectModel: NSManagedObjectModel)"))
        }
        let unavailable = "@available(*, unavailable) convenience init(name: String)"
        #expect(copy("class A: NSPersistentContainer { init(name: String, b: Int = 0) {} }").contains(unavailable))
        #expect(!copy("class A: NSPersistentContainer { init(name: String) {} }").contains(unavailable))
        let derived = copy("class A: NSPersistentContainer {}\nclass B: A { init(a: Int) {} }")
        #expect(derived.contains("class A: NSPersistentContainer {}\nclass B: A { init(a: Int) {}  required init("))
        let store =
            "class S: NSAtomicStore { override init(persistentStoreCoordinator c: C?, configurationName: String?, "
            + "at url: URL, options: [A: Any]? = nil) {} }"
        #expect(copy(store) == store.replacing("override", with: "required"))
        let convenient = "class A: NSPersistentContainer { convenience init(a: Int) {} }"
        #expect(copy(convenient) == convenient)
    }

    @Test("Publishers of notifications and schedulers are OpenCombine's, where the target depends on it")
    func publishers() {
        let text = "import Combine\ncenter.publisher(for: n).receive(on: DispatchQueue.main)"
        let modules: Set<String> = ["OpenCombine", "OpenCombineFoundation", "OpenCombineDispatch"]
        let copy = copy(text, modules: modules)
        #expect(copy.hasSuffix("center.ocombine.publisher(for: n).receive(on: DispatchQueue.main.ocombine)"))
        #expect(copy.contains("import OpenCombine\nimport OpenCombineDispatch\nimport OpenCombineFoundation\n"))
        #expect(self.copy(text).hasSuffix("center.publisher(for: n).receive(on: DispatchQueue.main)"))
    }

    @Test("A file that uses names of Combine without its import has that of OpenCombine")
    func leakedPublishers() {
        let text = "import Foundation\nfinal class A: ObservableObject { @Published var b = 1 }"
        func copy(_ text: String, _ modules: Set<String>) -> String {
            Porter(path: "A.swift", text: text, index: PortIndex(files: [("A.swift", text)], modules: modules)).text
        }
        #expect(copy(text, ["OpenCombine"]).hasPrefix("import OpenCombine\n"))
        #expect(!copy(text, []).contains("OpenCombine"))
        #expect(!copy("import Foundation\nlet a = 1", ["OpenCombine"]).contains("OpenCombine"))
    }

    @Test("Lists of a bundle's files are of URL")
    func resourceLists() {
        #expect(copy("a.urls(forResourcesWithExtension: b, subdirectory: c)").hasPrefix("a.portedURLs("))
    }

    @Test(
        "What the target's copies call is declared for it",
        arguments: [
            ("let a = NSStringFromClass(A.self)", "func NSStringFromClass"),
            ("withVaList(a) { NSPredicate(format: b, arguments: $0) }", "func withVaList<"),
            ("let a = OSAllocatedUnfairLock()", "struct OSAllocatedUnfairLock<"),
            ("wait(for: [a])", "func wait(for"), ("await self.fulfillment(of: [a])", "func fulfillment("),
            ("a.info(\"\\(b, format: .fixed(precision: 2))\"); Logger()", "struct OSLogFloatFormatting"),
        ])
    func declarations(_ text: String, _ declaration: String) throws {
        #expect(try support(text).contains(declaration))
        #expect(try !support("let a = b.NSStringFromClass").contains(declaration))
    }

    @Test("A target that declares a logger of its own has the rest of what logs")
    func ownLogger() throws {
        let own = try support("import os\nfinal class Logger { let log = OSLog(subsystem: a, category: b) }")
        #expect(own.contains("class OSLog") && own.contains("func os_log(") && !own.contains("typealias Logger"))
        #expect(try !support("struct OSLog {}\nlet a = Logger()").contains("struct OSLogMessage"))
    }

    @Test("A file that names kinds of changes imports Core Data")
    func changeKinds() {
        let text = "import Foundation\nlet a: NSKeyValueChange, b: NSKeyValueSetMutationKind"
        let index = PortIndex(files: [("A.swift", text)])
        #expect(Porter(path: "A.swift", text: text, index: index).text.hasPrefix("import CoreData\n"))
    }

    @Test("A file that reads the name of a key path imports Core Data")
    func keyPathNames() {
        let text = "import Foundation\nlet a = (b as AnyKeyPath)._kvcKeyPathString"
        #expect(
            Porter(path: "A.swift", text: text, index: PortIndex(files: [("A.swift", text)])).text.hasPrefix(
                "import CoreData\n"))
    }

    @Test("An override of a generated class has a home")
    func generatedHomes() {
        let text = "extension Order { override func awakeFromInsert() {} }"
        let index = PortIndex(files: [("A.swift", text)], generated: ["public class Order: NSManagedObject {\n}\n"])
        let porter = Porter(path: "A.swift", text: text, index: index)
        #expect(porter.findings.map(\.kind) == [.override])
        let made = Porter(path: "M.swift", text: "public class Order: NSManagedObject {\n}\n", index: index)
        #expect(made.hasGuests)
        #expect(made.text.contains("override func awakeFromInsert() {}\n#sourceLocation"))
    }

    @Test("Properties of Objective-C of managed object classes and of heirs of NSObject are listed")
    func keys() throws {
        let text = """
            class A: NSManagedObject { @objc var a: Int { let z = 1; return z }; @objc private var b = 1; var c = 1 }
            extension A { @objc dynamic var d: Int { 1 }; @objc class var e: Int { 1 }; @objc @NSManaged var f: Int }
            @objcMembers class B: A { private(set) var g = 1; @nonobjc var h = 1 }
            @MainActor class C: A { @objc var i = 1 }
            class D: NSObject { @objc var j = 1 }
            class E<T>: NSManagedObject { @objc var k = 1 }
            """
        let made = try support(text)
        for key in ["A.`a`, \"a\"", "A.`d`, \"d\"", "B.`g`, \"g\"", "D.`j`, \"j\""] {
            #expect(made.contains("add(\\" + key + ")"))
        }
        #expect(made.ranges(of: " add(").count == 4)
    }
}
