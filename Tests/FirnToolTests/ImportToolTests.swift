import FirnLog
import FirnSQLite
import Foundation
import TestSupport
import Testing

@Suite("The tool reads exported lines into another store")
struct ImportToolTests {
    let firn = BuiltProgram("firn")
    let store: SampleStore
    var copy: String { store.folder.file("Copy.sqlite").path }

    init() throws { store = try SampleStore() }

    private func importing(_ lines: [String], _ arguments: String...) throws -> BuiltProgram.Result {
        let file = store.folder.file("lines.json")
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
        return try firn.run(["import-changes"] + arguments + [copy, file.path])
    }

    private func exported(_ path: String, after: Int = 0) throws -> [String] {
        try firn.run("export", "--after", "\(after)", path).lines.map {
            $0.replacingOccurrences(of: path, with: "STORE")
        }
    }

    @Test("what was exported and imported is exported the same, and the copy is sound")
    func roundTrip() throws {
        let lines = Array(try exported(store.path)[..<3])
        let result = try importing(lines, "--model", store.path, "--json")
        #expect(
            result.output == #"{"store":"\#(copy)","lines":3,"changeSets":3,"head":4}"# + "\n", "\(result.complaints)")
        #expect(try exported(copy) == lines)
        #expect(try firn.run("verify", copy).output.contains("tables: equal to a rebuild through record 4"))
    }

    @Test("what is left of an object that was erased is exported and imported too")
    func erased() throws {
        #expect(try firn.run("erase", store.path, "Person/2").status == 0)
        let lines = Array(try exported(store.path)[..<4])
        #expect(lines[3].hasPrefix(#"{"op":"d","before":null,"after":null,"#))
        let result = try importing(lines, "--model", store.path)
        #expect(result.status == 0, "\(result.complaints)")
        #expect(try exported(copy) == lines)
    }

    @Test("a copy is kept up to date with what came since")
    func following() throws {
        let lines = try exported(store.path)
        #expect(try importing([lines[0]], "--model", store.path).status == 0)
        #expect(try importing([lines[1]]).status == 0)
        #expect(try exported(copy) == Array(lines[..<2]))
    }

    @Test("An import of many lines bounds the write-ahead log of the tables")
    func boundedLog() throws {
        let lines = try exported(store.path)
        #expect(try importing([lines[0]], "--model", store.path).status == 0)
        // While it is open, the last writer leaves the write-ahead log as it is.
        let reader = try Connection(.file(copy), mode: .readOnly)
        #expect(try reader.integer("SELECT count(*) FROM Person") == 1)
        let name = String(repeating: "x", count: 1 << 20)
        let many = (3...42).map { number in
            lines[1].replacingOccurrences(of: #""key":2"#, with: #""key":\#(number)"#)
                .replacingOccurrences(of: #""sequence":3"#, with: #""sequence":\#(number)"#)
                .replacingOccurrences(of: "Grace", with: name)
        }
        let result = try importing(many)
        #expect(result.status == 0, "\(result.complaints.prefix(300))")
        let size = try FileManager.default.attributesOfItem(atPath: copy + "-wal")[.size] as? Int ?? 0
        #expect(size < 20 << 20)
        #expect(try reader.integer("SELECT count(*) FROM Person") == 41)
    }

    @Test("a change that does not fit is refused with its line, and what is before it stays")
    func misfits() throws {
        let lines = try exported(store.path)
        // The sample deletes Person/2 with another name than it has.
        let result = try importing(lines, "--model", store.path)
        #expect(result.status == 2)
        #expect(result.complaints.contains("line 3: Person/2 has"))
        #expect(try firn.run("log", "--json", copy).lines.count == 3)
        #expect(try importing([lines[0]]).complaints.contains("Person/1 is there already"))
        let deletion = lines[3].replacingOccurrences(of: #"{"name":"Grace"}"#, with: "{}")
        #expect(try importing([deletion]).status == 0)
        #expect(try importing([lines[1]]).complaints.contains("a key that the store gave away before"))
        #expect(try importing([deletion]).complaints.contains("Person/2 is not there"))
        #expect(try firn.run("verify", copy).status == 0)
    }

    @Test(
        "a key that leaves none for new objects is refused, and so is one below 1",
        arguments: [Int64.max, 1 << 62, 0, -3])
    func keys(_ key: Int64) throws {
        let line = try exported(store.path)[0].replacingOccurrences(of: #""key":1"#, with: #""key":\#(key)"#)
        let result = try importing([line], "--model", store.path)
        #expect(result.status == 2)
        let reason = "line 1: Person/\(key) has no key that a store gives"
        #expect(result.complaints.contains(reason), "\(result.complaints)")
        #expect(try firn.run("export", copy).lines == [])
    }

    @Test(
        "a line that cannot be read is told with what is wrong in it",
        arguments: [
            ("{", "it is no JSON"), (#"{"op":"x"}"#, "its op is none of"),
            (#"{"op":"c","source":{},"ts_ms":1}"#, "neither an object nor a relationship"),
            (#"{"op":"c","source":{"entity":"Dog","key":1},"ts_ms":1}"#, "no entity Dog"),
            (#"{"op":"c","after":{"age":1},"source":{"entity":"Person","key":1},"ts_ms":1}"#, "no property age"),
            (#"{"op":"c","after":{"name":1},"source":{"entity":"Person","key":1},"ts_ms":1}"#, "1 is no value of"),
        ])
    func badLines(_ line: String, _ reason: String) throws {
        let result = try importing([line], "--model", store.path)
        #expect(result.status == 2)
        #expect(result.complaints.contains("line 1: "))
        #expect(result.complaints.contains(reason))
    }

    @Test("a store that is there keeps its model, and one that is not there needs one")
    func model() throws {
        let lines = try exported(store.path)
        #expect(try importing(lines).complaints.contains("no such store"))
        #expect(try importing([lines[0]], "--model", store.path).status == 0)
        #expect(try importing([lines[1]], "--model", store.path).complaints.contains("a model of its own"))
    }

    @Test("a date keeps every bit")
    func dates() throws {
        let line =
            #"{"op":"c","before":null,"after":{"born":"2026-11-21T05:21:33.123456717Z"},"source":"#
            + #"{"store":"STORE","sequence":2,"entity":"Person","key":1},"ts_ms":1,"ts_us":1500}"#
        #expect(try importing([line], "--model", store.path).status == 0)
        #expect(try exported(copy) == [line.replacingOccurrences(of: "123456717", with: "123456717")])
    }
}
