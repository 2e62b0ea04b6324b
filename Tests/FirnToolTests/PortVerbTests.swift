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
}
