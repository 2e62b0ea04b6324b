import FirnLog
import Foundation
import TestSupport
import Testing

@Suite("The tool makes tables from the log and holds them against it")
struct TableTests {
    let firn = BuiltProgram("firn")
    let store: SampleStore

    init() throws { store = try SampleStore() }

    /// Changes the tables behind the log's back.
    private func sql(_ statement: String) throws {
        let script =
            "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit(); c.close()"
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script, store.path, statement]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    @Test("rebuild makes tables that verify finds equal")
    func rebuild() throws {
        let rebuilt = try firn.run("rebuild", store.path)
        #expect(rebuilt.status == 0, "\(rebuilt.complaints)")
        let verified = try firn.run("verify", store.path)
        #expect(verified.status == 0, "\(verified)")
        #expect(verified.lines.last == "ok    tables: equal to a rebuild through record 4")
    }

    @Test("a store without tables is sound")
    func none() throws {
        let result = try firn.run("verify", "--json", store.path)
        #expect(result.status == 0 && result.output.contains(#""tables":"none"#), "\(result)")
    }

    @Test("a row that was changed behind the log's back is found")
    func difference() throws {
        _ = try firn.run("rebuild", store.path)
        try sql("UPDATE Person SET name = 'Eve' WHERE Z_PK = 1")
        let result = try firn.run("verify", store.path)
        #expect(result.status == 1)
        let line = try #require(result.lines.last)
        #expect(line.contains("Eve") && line.contains("Ada Lovelace"), "\(line)")
    }

    @Test("rebuild mends the tables")
    func mend() throws {
        _ = try firn.run("rebuild", store.path)
        try sql("DELETE FROM Person")
        _ = try firn.run("rebuild", store.path)
        #expect(try firn.run("verify", store.path).status == 0)
    }

    @Test("tables that are behind the log are equal as far as they go")
    func behind() throws {
        _ = try firn.run("rebuild", store.path)
        try store.append(.changes(SampleStore.insert(3, name: "Later", friend: nil)))
        let result = try firn.run("verify", store.path)
        #expect(
            result.status == 0 && result.lines.last?.hasSuffix("through record 4") == true,
            "\(result)")
    }

    @Test("another program's database is not overwritten, but kept under another name")
    func foreign() throws {
        try sql("CREATE TABLE theirs (a)")
        let before = try Data(contentsOf: URL(filePath: store.path))
        let result = try firn.run("rebuild", store.path)
        #expect(result.status == 0 && result.output.contains(store.path + ".replaced"), "\(result)")
        #expect(try Data(contentsOf: URL(filePath: store.path + ".replaced")) == before)
    }

    @Test("a flipped byte is damage that verify names with its place")
    func damage() throws {
        let place = try store.log.frame(at: 3)
        var bytes = try Data(contentsOf: store.segment)
        bytes[Int(place.offset) + 50] ^= 4
        try bytes.write(to: store.segment)
        let result = try firn.run("verify", store.path)
        #expect(
            result.status == 1 && result.output.contains("at byte \(place.offset)"), "\(result)")
    }
}
