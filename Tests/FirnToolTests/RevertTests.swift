import FirnLog
import Foundation
import TestSupport
import Testing

@Suite("The tool puts things back")
struct RevertTests {
    let firn = BuiltProgram("firn")
    let store: SampleStore

    init() throws { store = try SampleStore() }

    private func revert(_ arguments: String...) throws -> BuiltProgram.Result {
        try firn.run(["revert", store.path] + arguments)
    }

    private func names() throws -> Set<String> {
        Set(try firn.run("fetch", "--columns", "name", "--json", store.path, "Person").lines)
    }

    private func head() throws -> String? { try firn.run("log", "--limit", "1", "--json", store.path).lines.first }

    @Test("revert shows what would be done, and saves nothing where nobody can say yes")
    func preview() throws {
        let result = try revert("Person/1.name", "--to", "3")
        #expect(result.lines == ["~ Person/1", "    name  Ada Lovelace → Ada"])
        #expect(result.complaints.contains("nothing is saved: --yes does it"))
        #expect(try head()?.hasPrefix(#"{"sequence":4,"#) ?? false)
    }

    @Test("revert of a property saves the value that it had at the point, in a record of its own")
    func property() throws {
        let result = try revert("Person/1.name", "--to", "3", "--yes", "--json")
        #expect(
            result.lines == [
                #"{"store":"\#(store.path)","target":"Person/1.name","saved":true,"changes":[{"operation":"update","#
                    + #""object":"Person/1","old":{"name":"Ada Lovelace"},"new":{"name":"Ada"}}]}"#
            ], "\(result.complaints)")
        #expect(try head()?.contains(#""author":"firn","context":"firn revert Person/1.name""#) ?? false)
        #expect(try names().contains { $0.contains(#""name":"Ada""#) })
        #expect(try revert("Person/1.name", "--to", "3", "--yes").complaints.contains("is as it was"))
    }

    @Test("revert of a record brings back what it deleted, and the next revert takes that back")
    func record() throws {
        #expect(try revert("4", "--yes").status == 0)
        #expect(try names().count == 2)
        #expect(try revert("5", "--yes").status == 0)
        #expect(try names().count == 1)
        #expect(try firn.run("verify", store.path).status == 0)
    }

    @Test("revert of an object that was deleted brings it back with the values that it had")
    func object() throws {
        let result = try revert("Person/2", "--to", "3", "--yes")
        #expect(result.lines.first == "+ a new Person", "\(result.complaints)")
        #expect(result.lines.contains("    friend  Person/1"))
        #expect(try names().contains { $0.contains("Grace") })
    }

    @Test("revert of a deletion that was undone already makes no second object, and names the record that undid it")
    func twice() throws {
        #expect(try revert("4", "--yes").status == 0)
        #expect(try head()?.contains(#""metadata":{"reverts":"4"}"#) ?? false)
        for target in [["4"], ["Person/2", "--to", "3"]] {
            let again = try firn.run(["revert", store.path, "--yes"] + target)
            #expect(again.status == 2)
            #expect(again.complaints.contains("record 5 put it back already, as Person/"), "\(again.complaints)")
        }
        #expect(try names().count == 2)
        // Once that is undone, it can be done again.
        #expect(try revert("5", "--yes").status == 0)
        #expect(try revert("4", "--yes").status == 0)
        #expect(try names().count == 2)
    }

    @Test("an object that was put back is not put back twice, nor by undoing the record that deleted it")
    func objectTwice() throws {
        #expect(try revert("Person/2", "--to", "3", "--yes").status == 0)
        for target in [["Person/2", "--to", "3"], ["4"]] {
            let again = try firn.run(["revert", store.path, "--yes"] + target)
            #expect(again.status == 2)
            #expect(again.complaints.contains("record 5 put it back already"), "\(again.complaints)")
        }
        #expect(try names().count == 2)
    }

    @Test("revert of a record that was undone says so, next to what was changed later")
    func undoneAlready() throws {
        try store.append(.changes(SampleStore.insert(3, name: "Eve", friend: nil)))
        #expect(try revert("5", "--yes").status == 0)
        let again = try revert("5", "--yes")
        #expect(again.status == 2)
        let words = "record 6 undid it already; Person/3 was deleted later"
        #expect(again.complaints.contains(words), "\(again.complaints)")
    }

    @Test("revert that cannot be done changes nothing, and says why")
    func obstacles() throws {
        for (arguments, words) in [
            (["2"], "name of Person/1 was changed later"), (["1"], "has no changes of objects"),
            (["Person/2", "--to", "2"], "Person/2 was not there then"),
            (["Person/2.name", "--to", "3"], "name it without the property"),
            (["Person/1.nme", "--to", "3"], "has no property “nme”"),
            (["Prson/1", "--to", "3"], "did you mean Person?"),
            (["Person/1"], "Name the point with --to"), (["4", "--to", "3"], "--to is for an object"),
            (["9"], "the log ends with record 4"),
        ] {
            let result = try firn.run(["revert", store.path, "--yes"] + arguments)
            #expect(result.status == 2, "\(arguments)")
            #expect(result.complaints.contains(words), "\(arguments): \(result.complaints)")
        }
        #expect(try head()?.hasPrefix(#"{"sequence":4,"#) ?? false)
    }
}
