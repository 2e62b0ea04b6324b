import FirnLog
import Foundation
import TestSupport
import Testing

@Suite("The tool answers a person's questions about the past")
struct QuestionTests {
    let firn = BuiltProgram("firn")
    let store: SampleStore

    init() throws { store = try SampleStore() }

    @Test("blame shows each value with the record that set it, its author and the value before")
    func blame() throws {
        let lines = try firn.run("blame", "--json", store.path, "Person/1").lines
        #expect(lines.count == 4)
        #expect(
            lines.contains(
                #"{"object":"Person/1","property":"name","value":"Ada Lovelace","before":"Ada","sequence":4,"#
                    + #""date":"2023-11-14T22:13:20.123456Z","author":"test","process":"tests"}"#), "\(lines)")
        #expect(lines.contains { $0.hasPrefix(#"{"object":"Person/1","property":"born","#) && $0.contains(#":2,"#) })
        let table = try firn.run("blame", store.path, "Person/1").lines
        #expect(table[0].hasPrefix("Person/1 “Ada Lovelace”: created by record 2 on "))
        let words = table.map { $0.split(separator: "  ").map { $0.trimmingCharacters(in: .whitespaces) } }
        #expect(words.contains { $0.prefix(4) == ["name", #""Ada Lovelace""#, #""Ada""#, "4"] }, "\(table)")
    }

    @Test("blame of a deleted object says which record deleted it, and shows its last values")
    func blameDeleted() throws {
        let lines = try firn.run("blame", store.path, "Person/2").lines
        #expect(lines[0].contains(", deleted by record 4 on "))
        #expect(lines.contains { $0.hasPrefix("friend") && $0.contains("Person/1") && $0.contains("im␛port") })
    }

    @Test("blame of a property shows every value that it had")
    func blameProperty() throws {
        let values = try firn.run("blame", "--json", store.path, "Person/1.name").lines
        #expect(values.map { $0.contains(#""value":"Ada""#) } == [true, false])
        #expect(try firn.run("blame", store.path, "Person/1.nme").complaints.contains("did you mean name?"))
        #expect(try firn.run("blame", store.path, "Person/9").status == 2)
        #expect(try firn.run("blame", store.path, "Person").status == 2)
    }

    @Test("blame of what is older than a trimmed log names the record that it was trimmed at, and nobody")
    func blameTrimmed() throws {
        _ = try firn.run("trim", "--keep", "1", store.path)
        let born = try firn.run("blame", "--json", store.path, "Person/1.born").lines
        #expect(
            born == [
                #"{"object":"Person/1","property":"born","value":"2001-01-01T00:00:00.000000Z","sequence":3}"#
            ])
        let lines = try firn.run("blame", store.path, "Person/1").lines
        #expect(lines[0] == "Person/1 “Ada Lovelace”: created by record 3 or earlier")
    }

    @Test("search finds values of the present first, then those that ended, with their records")
    func search() throws {
        let lines = try firn.run("search", "--json", store.path, "A").lines
        let found = lines.map { line in [#""value":"Ada Lovelace""#, #""value":"Ada","#].map(line.contains) }
        #expect(found.first == [true, false], "\(lines)")
        #expect(found.contains([false, true]))
        #expect(lines.filter { $0.contains(#""end":4"#) }.count == 2)
        #expect(try firn.run("search", "--present", "--json", store.path, "ada").lines.count == 1)
    }

    @Test("search is narrowed by entity, property and count, and says when there is more or nothing")
    func searchNarrowed() throws {
        let named = try firn.run("search", "--entity", "Person", "--property", "name", "--json", store.path, "lovelace")
        #expect(named.lines.count == 1)
        #expect(named.lines.first?.contains(#""value":"Ada Lovelace","sequence":4,"#) ?? false)
        #expect(try firn.run("search", "--property", "born", store.path, "ada").lines.isEmpty)
        let first = try firn.run("search", "--limit", "1", store.path, "a")
        #expect(first.lines.count == 1)
        #expect(first.complaints.contains("more; --limit"))
        #expect(try firn.run("search", store.path, "nobody").complaints.contains("no value has “nobody”"))
        for wrong in [["--entity", "Prson"], ["--property", "nme"], ["--limit", "-1"]] {
            #expect(try firn.run(["search"] + wrong + [store.path, "a"]).status == 2, "\(wrong)")
        }
        for text in ["", "!"] { #expect(try firn.run("search", store.path, text).status == 2) }
    }

    @Test("log lists the records of one object, of one property and since a point")
    func logOfObject() throws {
        func records(_ arguments: String...) throws -> [Int] {
            try firn.run(["log", "--json", "--oldest-first"] + arguments + [store.path]).lines.compactMap { line in
                [2, 3, 4].first { line.hasPrefix(#"{"sequence":\#($0),"#) }
            }
        }
        #expect(try records("--object", "Person/1") == [2, 4])
        #expect(try records("--object", "Person/2") == [3, 4])
        #expect(try records("--property", "friend") == [2, 3])
        #expect(try records("--object", "Person/1", "--property", "name", "--since", "3") == [4])
        for wrong in [["--object", "Prson/1"], ["--object", "Person"], ["--property", "nme"]] {
            #expect(try firn.run(["log"] + wrong + [store.path]).status == 2, "\(wrong)")
        }
    }

    @Test("diff says how many objects differ, who saved, and which record touched an object last")
    func diffHeading() throws {
        let lines = try firn.run("diff", store.path, "2").lines
        #expect(lines.first == "records 3 to 4 by im␛port (1), test (1): changed 1 Person")
        #expect(lines.contains("~ Person/1  record 4, test"))
        // An author's name does not steer the terminal.
        let next = try firn.run("diff", store.path, "2", "3").lines
        #expect(next.first == "record 3 by im␛port (1): created 1 Person")
        #expect(next.contains("+ Person/2  record 3, im␛port"))
    }
}
