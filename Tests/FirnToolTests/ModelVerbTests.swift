import FirnModel
import Foundation
import TestSupport
import Testing

@Suite("firn model")
struct ModelVerbTests {
    private let firn = BuiltProgram("firn")
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
        try write("1", "<attribute name=\"name\" optional=\"YES\" attributeType=\"String\"/>")
        try write("2", "<attribute name=\"name\" optional=\"YES\" attributeType=\"Date\"/>")
        try write("3", "<attribute name=\"title\" optional=\"YES\" attributeType=\"String\" elementID=\"name\"/>")
    }

    private var bundle: URL { folder.file("M.xcdatamodeld") }

    private func write(_ version: String, _ body: String) throws {
        let url = bundle.appendingPathComponent("\(version).xcdatamodel")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let entity = "<entity name=\"Note\" representedClassName=\"Note\">\(body)</entity>"
        try Data("<model type=\"com.apple.IDECoreDataModeler.DataModel\">\n\(entity)</model>".utf8)
            .write(to: url.appendingPathComponent("contents"))
    }

    @Test("diff says what migration would do, and what stands in its way")
    func diff() throws {
        let fine = try firn.run("model", "diff", bundle.path, "--from", "1", "--to", "3")
        #expect(fine.status == 0)
        #expect(fine.output.hasSuffix("migration  lightweight\n"))
        let refused = try firn.run("model", "diff", bundle.path, "--from", "1", "--to", "2", "--json")
        #expect(refused.status == 1)
        #expect(refused.output.contains("\"problem\":\"Note.name\""))
        #expect(refused.output.contains("String cannot become Date"))
    }

    @Test("compile makes a bundle that loads as the same models, generate writes the classes")
    func compile() throws {
        let compiled = folder.file("M.momd")
        #expect(try firn.run("model", "compile", bundle.path, compiled.path).status == 0)
        let names = try ModelBundle(contentsOf: compiled).versions.map(\.name)
        #expect(names == ["1", "2", "3"])
        let (source, made) = (NSManagedObjectModel(contentsOf: bundle), NSManagedObjectModel(contentsOf: compiled))
        #expect(made != nil && source?.versionChecksum == made?.versionChecksum)
        let written = try firn.run("model", "generate", compiled.path, "--into", folder.file("Classes").path)
        #expect(written.output.split(separator: "\n").count == 2)
        let shown = try firn.run("model", "show", compiled.path)
        #expect(shown.output.hasPrefix("Note\n      title  String\nchecksum"))
    }

    @Test("a store stands for the model that its log carries")
    func ofStore() throws {
        let store = try SampleStore()
        #expect(try firn.run("model", "show", store.path).output.hasPrefix("Person\n      born  Date\n"))
        #expect(try firn.run("model", "diff", store.path, bundle.path).output.contains("Note"))
        #expect(try firn.run("model", "check", store.path).output.contains("nothing to report"))
        #expect(try firn.run("model", "check", store.path + "x").status == 2)
        let missing = try firn.run("model", "show", "--version", "11", bundle.path)
        #expect(missing.complaints.contains("no version “11”; did you mean 1?"), "\(missing.complaints)")
    }

    @Test("generate says where there is nothing to write, and compile names the classes' module")
    func modules() throws {
        let plain = folder.file("Plain.xcdatamodel")
        try FileManager.default.createDirectory(at: plain, withIntermediateDirectories: true)
        try Data("<model><entity name=\"A\"/></model>".utf8).write(to: plain.appendingPathComponent("contents"))
        let nothing = try firn.run("model", "generate", plain.path, "--into", folder.file("None").path)
        #expect(nothing.status == 0)
        #expect(nothing.output == "")
        #expect(nothing.complaints.contains("nothing to write"))
        let compiled = folder.file("Named.momd")
        #expect(try firn.run("model", "compile", bundle.path, compiled.path, "--module", "Mine").status == 0)
        let model = try #require(NSManagedObjectModel(contentsOf: compiled))
        #expect(model.entitiesByName["Note"]?.managedObjectClassName == "Mine.Note")
    }

    @Test("check names file and line of what is wrong")
    func check() throws {
        #expect(try firn.run("model", "check", bundle.path).output.contains("nothing to report"))
        try write("4", "<relationship name=\"r\" destinationEntity=\"X\"/>")
        let result = try firn.run("model", "check", bundle.path)
        #expect(result.status == 1)
        #expect(result.output.contains("4.xcdatamodel/contents:2: error"))
    }
}
