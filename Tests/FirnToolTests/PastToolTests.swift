import FirnLog
import Foundation
import TestSupport
import Testing

@Suite("The tool compares and shows points of a store's history")
struct PastToolTests {
    let firn = BuiltProgram("firn")
    let store: SampleStore

    init() throws { store = try SampleStore() }

    @Test("diff shows the net change of each object, with old and new values")
    func diff() throws {
        let result = try firn.run("diff", "--json", store.path, "2", "head")
        #expect(
            result.output
                == #"{"operation":"update","object":"Person/1","old":{"name":"Ada"},"new":{"name":"Ada Lovelace"}}"#
                + "\n", "\(result.complaints)")
        #expect(try firn.run("diff", store.path, "3").output.contains("- Person/2"))
    }

    @Test("diff with the later point first goes backwards")
    func backwards() throws {
        let result = try firn.run("diff", "--json", store.path, "3", "2")
        #expect(result.output.hasPrefix(#"{"operation":"delete","object":"Person/2","old":{"born""#))
    }

    @Test("diff and as-of say which points there are")
    func points() throws {
        #expect(try firn.run("diff", store.path, "2", "9").complaints.contains("ends with record 4"))
        #expect(try firn.run("as-of", store.path, "someday").status == 2)
        #expect(try firn.run("as-of", store.path, "0").complaints.contains("record 0 is before the first record"))
        _ = try firn.run("trim", "--keep", "1", store.path)
        #expect(try firn.run("diff", store.path, "2").complaints.contains("were trimmed"))
    }

    @Test("as-of shows every object as it was, by number and by date", arguments: ["3", "2023-11-14T22:13:20.5Z"])
    func asOf(_ point: String) throws {
        let result = try firn.run("as-of", "--json", store.path, point)
        let names = result.lines.map { String($0.prefix(21)) }
        let expected = point == "3" ? ["1", "2"] : ["1"]
        #expect(names == expected.map { #"{"object":"Person/\#($0)","# }, "\(result.complaints)")
        #expect(try firn.run("as-of", "--json", "--entity", "Person", store.path, point).lines == result.lines)
    }

    @Test("as-of writes tables that SQLite reads, to a new file only")
    func tables() throws {
        let file = store.folder.file("Then.sqlite").path
        #expect(try firn.run("as-of", "--tables", file, store.path, "3").status == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)).prefix(15) == Data("SQLite format 3".utf8))
        #expect(try firn.run("as-of", "--tables", file, store.path, "3").status == 2)
    }

    @Test("pack compresses what is sealed, with --all everything, and the records are what they were")
    func pack() throws {
        let before = try firn.run("log", "--json", store.path).lines
        #expect(try firn.run("pack", store.path).output.contains("every sealed segment is packed"))
        let packed = try firn.run("pack", "--all", "--json", store.path).lines
        #expect(packed.count == 1 && packed[0].contains(#""segments":1,"bytesBefore":"#))
        #expect(try firn.run("pack", "--all", store.path).output.contains("every sealed segment is packed"))
        #expect(try firn.run("log", "--json", store.path).lines == before)
        #expect(try firn.run("verify", store.path).status == 0)
        #expect(try firn.run("pack", store.path + "-not").status != 0)
    }

    @Test("stats counts bytes, segments and what happened to the objects of each entity")
    func stats() throws {
        let lines = try firn.run("stats", "--json", store.path).lines
        #expect(lines.count == 3)
        #expect(lines[0].contains(#""changeSets":3,"segments":1,"#))
        #expect(lines[0].contains(#""objects":1,"objectChanges":4,"#))
        #expect(lines[1].hasPrefix(#"{"segment":"00000000000000000001.segment","records":4,"#))
        #expect(lines[2] == #"{"entity":"Person","objects":1,"inserted":2,"updated":1,"deleted":1}"#)
        #expect(try firn.run("stats", store.path).output.contains("to 1"))
        _ = try firn.run("trim", "--keep", "0", store.path)
        let rest = try firn.run("stats", "--json", store.path).lines
        #expect(rest.last == #"{"entity":"Person","objects":1,"inserted":0,"updated":0,"deleted":0}"#)
        #expect(rest.first?.contains(#""baselineBytes":"#) == true)
    }
}
