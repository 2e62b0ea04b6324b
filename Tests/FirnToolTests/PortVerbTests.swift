import Foundation
import TestSupport
import Testing

@Suite("firn port")
struct PortVerbTests {
    private let firn = BuiltProgram("firn")
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
        let text = "import Combine\n@objc class A {}\nlet a: AnyCancellable? = nil\nlet b = #keyPath(A.b)\n"
        try Data(text.utf8).write(to: folder.file("A.swift"))
    }

    @Test("check lists what needs an edit, and counts what the plugin does")
    func check() throws {
        let checked = try firn.run("port", "check", folder.path)
        #expect(checked.status == 1)
        #expect(checked.output.hasPrefix(folder.file("A.swift").path + ":3: AnyCancellable: "))
        #expect(checked.output.contains("ported: 4\n"))
        #expect(checked.output.contains("to edit: 1\n"))
        #expect(checked.output.hasSuffix("files: 1\n"))
        let all = try firn.run("port", "check", "--all", folder.path)
        #expect(all.output.contains("A.swift:2: @objc: left out\n"))
        let json = try firn.run("port", "check", "--json", folder.path)
        #expect(json.output.contains("\"kind\":\"keyPath\""))
        #expect(json.output.split(separator: "\n").count == 5)
        #expect(try firn.run("port", "check", folder.path + "x").status == 2)
    }

    private func git(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        process.arguments = ["git", "-C", folder.path] + identity + arguments
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOf: folder.file(name), encoding: .utf8)
    }

    @Test("apply prints a difference without writing")
    func difference() throws {
        let before = try text("A.swift")
        let shown = try firn.run("port", "apply", "--dry-run", folder.path)
        #expect(
            shown.output.contains("@@ -1,4 +1,12 @@\n+import Foundation\n+#if canImport(Combine)\n import Combine\n"))
        #expect(shown.output.contains("-let b = #keyPath(A.b)\n+let b = \"b\"\n"))
        #expect(shown.status == 1)
        #expect(try text("A.swift") == before)
    }

    @Test("apply writes into a folder without uncommitted changes only, unless it is forced")
    func uncommitted() throws {
        let before = try text("A.swift")
        let outside = try firn.run("port", "apply", folder.path)
        #expect(outside.status == 2)
        try git("init", "-q")
        #expect(try firn.run("port", "apply", folder.path).complaints.contains("uncommitted changes"))
        #expect(try text("A.swift") == before)
        try git("add", "-A")
        try git("commit", "-qm", "a")
        #expect(try firn.run("port", "apply", folder.path).output.contains("changed: 1 of 1 files\nto edit: 1\n"))
        let after = try text("A.swift")
        #expect(after.contains("#if canImport(ObjectiveC)\n@objc\n#endif\nclass A {}\n"))
        #expect(try firn.run("port", "apply", "--force", folder.path).output.contains("changed: 0 of 1 files"))
        #expect(try text("A.swift") == after)
    }

    @Test("An override of a class that a model generates can be ported")
    func generatedClass() throws {
        let model = folder.file("Shop.xcdatamodeld").appending(path: "Shop.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        let entity = "<entity name=\"Order\" representedClassName=\"Order\" codeGenerationType=\"class\"/>"
        let contents =
            "<model type=\"com.apple.IDECoreDataModeler.DataModel\" sourceLanguage=\"Swift\">\(entity)</model>"
        try Data(contents.utf8).write(to: model.appending(path: "contents"))
        let source = "import CoreData\nextension Order { override func awakeFromInsert() {} }\n"
        try Data(source.utf8).write(to: folder.file("A.swift"))
        let checked = try firn.run("port", "check", folder.path)
        #expect(checked.output.contains("1  override: is compiled in the class"))
        #expect(checked.status == 0)
    }
}
