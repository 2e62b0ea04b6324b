import FirnLog
import Foundation
import TestSupport
import Testing

@Suite("Bad input is one clear line and a status")
struct BadInputTests {
    let firn = BuiltProgram("firn")
    let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func expectRefused(
        _ path: String, _ part: String, status: Int32 = 2,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let result = try firn.run("log", path)
        #expect(result.status == status, sourceLocation: sourceLocation)
        #expect(result.output.isEmpty, sourceLocation: sourceLocation)
        let lines = result.complaints.split(separator: "\n")
        #expect(
            lines.count == 1 && lines[0].hasPrefix("firn: ") && lines[0].contains(path)
                && lines[0].contains(part),
            "\(result.complaints)", sourceLocation: sourceLocation)
    }

    @Test("no store")
    func missing() throws { try expectRefused(folder.file("No.sqlite").path, "no such store") }

    @Test("a folder")
    func directory() throws {
        let path = folder.file("Folder").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try expectRefused(path, "this is a folder")
    }

    @Test("a text file")
    func text() throws {
        try Data("hello\n".utf8).write(to: folder.file("a.txt"))
        try expectRefused(folder.file("a.txt").path, "no log next to it")
    }

    @Test("a log folder with something else in it")
    func foreignFolder() throws {
        let path = folder.file("Foreign.sqlite").path
        try FileManager.default.createDirectory(
            atPath: path + "-log", withIntermediateDirectories: false)
        try expectRefused(path, "no log of a store")
    }

    @Test("a segment that is none")
    func foreignSegment() throws {
        let store = try SampleStore()
        try Data(repeating: 65, count: 10_000).write(to: store.segment)
        let result = try firn.run("log", store.path)
        #expect(
            result.status != 0 && result.complaints.contains(store.segment.path),
            "\(result.complaints)")
    }

    @Test("a flipped byte in the middle is damage, with its place")
    func damage() throws {
        let store = try SampleStore()
        let second = try store.log.frame(at: 2)
        var bytes = try Data(contentsOf: store.segment)
        bytes[Int(second.offset) + 40] ^= 1
        try bytes.write(to: store.segment)
        let result = try firn.run("log", store.path)
        #expect(result.status == 1)
        #expect(
            result.complaints.contains("\(store.segment.path) at byte \(second.offset)"),
            "\(result.complaints)")
    }

    @Test("export writes the records before a flipped byte, and ends with status 1")
    func exportBeforeDamage() throws {
        let store = try SampleStore()
        let whole = try firn.run("export", store.path)
        let third = try store.log.frame(at: 3)
        var bytes = try Data(contentsOf: store.segment)
        bytes[Int(third.offset) + 40] ^= 1
        try bytes.write(to: store.segment)
        let result = try firn.run("export", store.path)
        #expect(result.status == 1)
        let lines = whole.output.split(separator: "\n").filter { $0.contains(#""sequence":2,"#) }
        #expect(!lines.isEmpty && result.output.split(separator: "\n") == lines, "\(result.output)")
    }

    @Test("the version is printed")
    func version() throws {
        let result = try firn.run("--version")
        #expect(result.status == 0 && result.output.hasPrefix("1."), "\(result.output)")
    }

    @Test("a record that is not there")
    func noRecord() throws {
        let store = try SampleStore()
        let result = try firn.run("show", store.path, "9")
        #expect(
            result.status == 2 && result.complaints.contains("record 9"), "\(result.complaints)")
    }

    @Test(
        "bad usage",
        arguments: [[], ["log"], ["log", "--after", "x", "a"], ["frobnicate"], ["show", "a"]])
    func usage(_ arguments: [String]) throws {
        let result = try firn.run(arguments)
        #expect(result.status == (arguments.isEmpty ? 0 : 2), "\(result.complaints)")
    }

    @Test("help names every exit status")
    func help() throws {
        let result = try firn.run("--help")
        #expect(result.status == 0 && ["0  ", "1  ", "2  "].allSatisfy(result.output.contains))
    }
}
