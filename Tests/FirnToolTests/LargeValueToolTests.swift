import FirnLog
import Foundation
import TestSupport
import Testing

@Suite("The tool carries large values")
struct LargeValueToolTests {
    private let firn = BuiltProgram("firn")
    private let folder: TemporaryDirectory
    private let model: URL
    private let value = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 3) })

    init() throws {
        folder = try TemporaryDirectory()
        model = folder.file("Photos.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        let document = """
            <?xml version="1.0" encoding="UTF-8"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                <entity name="Photo" representedClassName="NSManagedObject">
                    <attribute name="data" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
                </entity>
            </model>
            """
        try Data(document.utf8).write(to: model.appendingPathComponent("contents"))
    }

    private func path(_ name: String) -> String { folder.file(name).path }

    private func run(_ arguments: String...) throws -> BuiltProgram.Result {
        let result = try firn.run(arguments)
        #expect(result.status == 0, "\(arguments): \(result.complaints)")
        return result
    }

    private func line(_ op: String, before: Data?, after: Data?, sequence: Int) -> String {
        func object(_ data: Data?) -> String {
            data.map { #"{"data":"\#($0.base64EncodedString())"}"# } ?? "null"
        }
        return #"{"op":"\#(op)","before":\#(object(before)),"after":\#(object(after)),"source":"#
            + #"{"store":"STORE","sequence":\#(sequence),"entity":"Photo","key":1},"ts_ms":1,"ts_us":1500}"#
    }

    /// Imports a photo with the value, and a change of it if there is another.
    private func importPhoto(changedTo other: Data? = nil) throws -> [String] {
        var lines = [line("c", before: nil, after: value, sequence: 2)]
        if let other { lines.append(line("u", before: value, after: other, sequence: 3)) }
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: folder.file("lines"))
        _ = try run("import-changes", "--model", model.path, path("Photos.sqlite"), path("lines"))
        return lines
    }

    private func files(_ store: String) -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: path(store) + "-log/external")
        return (names ?? []).sorted()
    }

    private func name(_ data: Data) -> String { data.withUnsafeBytes { ExternalReference(to: $0).fileName } }

    @Test("from lines of JSON into files, and back into lines")
    func lines() throws {
        let other = Data(value.reversed())
        let lines = try importPhoto(changedTo: other)
        #expect(files("Photos.sqlite") == [name(value), name(other)].sorted())
        let exported = try run("export", path("Photos.sqlite")).lines
        #expect(exported.map { $0.replacingOccurrences(of: path("Photos.sqlite"), with: "STORE") } == lines)
        _ = try run("verify", path("Photos.sqlite"))
    }

    @Test(
        "never as the reference that stands for them: a verb that needs one whose file is missing names the file",
        arguments: [
            ["export", "STORE"], ["fetch", "--json", "STORE", "Photo"], ["fetch", "--csv", "STORE", "Photo"],
            ["as-of", "--json", "STORE", "2"], ["show", "--json", "STORE", "2"],
            ["history", "--json", "STORE", "Photo/1"],
            ["diff", "--json", "STORE", "1"],
        ])
    func missing(_ arguments: [String]) throws {
        _ = try importPhoto()
        let file = path("Photos.sqlite") + "-log/external/" + name(value)
        try FileManager.default.removeItem(atPath: file)
        let result = try firn.run(arguments.map { $0 == "STORE" ? path("Photos.sqlite") : $0 })
        #expect(result.status == 1, "\(arguments)")
        #expect(result.complaints.contains(file), "\(arguments): \(result.complaints)")
        #expect(!result.output.contains("\"after\"") && !result.output.contains("\"new\""), "\(result.output)")
    }

    @Test("are shown to a person as a size and a file, which may be missing")
    func missingText() throws {
        _ = try importPhoto()
        let text = "    data  200000 bytes in external/" + name(value)
        #expect(try run("show", path("Photos.sqlite"), "2").lines.last == text)
        try FileManager.default.removeItem(atPath: path("Photos.sqlite") + "-log/external/" + name(value))
        #expect(try run("show", path("Photos.sqlite"), "2").lines.last == text + ", which is missing")
    }

    @Test("a change set with one that is missing is exported not at all, the ones before it are")
    func whole() throws {
        let other = Data(value.reversed())
        _ = try importPhoto(changedTo: other)
        try FileManager.default.removeItem(atPath: path("Photos.sqlite") + "-log/external/" + name(other))
        let result = try firn.run("export", path("Photos.sqlite"))
        #expect(result.status == 1)
        #expect(result.lines.count == 1)
    }

    @Test("lines with a reference in a value's place are refused")
    func reference() throws {
        let reference = Data(value.withUnsafeBytes { ExternalReference(to: $0).bytes })
        try Data((line("c", before: nil, after: reference, sequence: 2) + "\n").utf8).write(to: folder.file("lines"))
        let result = try firn.run("import-changes", "--model", model.path, path("Photos.sqlite"), path("lines"))
        #expect(result.status == 2)
        #expect(result.complaints.contains("line 1"), "\(result.complaints)")
        #expect(result.complaints.contains(name(value)), "\(result.complaints)")
    }

    @Test("to a server and back, also those that a baseline names", .needsPostgres, arguments: [false, true])
    func pushAndPull(isTrimmed: Bool) throws {
        _ = try importPhoto()
        if isTrimmed { _ = try run("trim", "--keep", "0", path("Photos.sqlite")) }
        let address = try PostgresServer.newDatabase() + "#Photos"
        _ = try run("push", path("Photos.sqlite"), address)
        _ = try run("pull", address, path("Copy.sqlite"))
        #expect(files("Copy.sqlite") == [name(value)])
        _ = try run("rebuild", path("Copy.sqlite"))
        _ = try run("verify", path("Copy.sqlite"))
        let copied = try run("export", path("Copy.sqlite")).output
        #expect(copied.contains(value.base64EncodedString()))
    }
}
