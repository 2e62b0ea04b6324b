import FirnLog
import Foundation
import TestSupport
import Testing

@Suite("The tool fetches objects")
struct FetchTests {
    let firn = BuiltProgram("firn")
    let store: SampleStore

    init() throws { store = try SampleStore() }

    @Test("fetch in JSON is one object a line, as the store is now")
    func now() throws {
        let result = try firn.run("fetch", "--json", store.path, "Person")
        #expect(result.lines.count == 1)
        #expect(result.output.hasPrefix(#"{"object":"Person/1","values":{"#))
    }

    @Test("fetch as of a record finds what was there then, sorted and filtered")
    func past() throws {
        let all = try firn.run("fetch", "--json", "--as-of", "3", "--sort", "name:desc", store.path, "Person")
        #expect(all.lines.map { String($0.prefix(20)) } == [#"{"object":"Person/2""#, #"{"object":"Person/1""#])
        let some = try firn.run(
            "fetch", "--json", "--as-of", "3", "--where", "friend != nil", store.path, "Person")
        #expect(some.lines.count == 1)
    }

    @Test("fetch for people has a heading and a line for each object")
    func table() throws {
        let result = try firn.run("fetch", "--as-of", "3", "--limit", "1", store.path, "Person")
        #expect(result.lines.count == 2)
        #expect(result.lines.first?.hasPrefix("object") == true)
    }

    private func past(_ arguments: String...) throws -> BuiltProgram.Result {
        try firn.run(["fetch", "--as-of", "3", "--sort", "name"] + arguments + [store.path, "Person"])
    }

    @Test("fetch lists chosen columns, in the order in which they were given")
    func columns() throws {
        let lines = try past("--columns", "name, friend").lines
        #expect(lines.map { $0.split(separator: " ").first } == ["object", "Person/1", "Person/2"])
        #expect(lines[0].split(separator: " ") == ["object", "name", "friend"])
        #expect(lines[2].hasSuffix("  Person/1"))
        #expect(try past("--json", "--columns", "name", "--limit", "1").output
            == #"{"object":"Person/1","values":{"name":"Ada"}}"# + "\n")
    }

    @Test("fetch skips and counts objects")
    func window() throws {
        #expect(try past("--json", "--offset", "1").lines.count == 1)
        #expect(try past("--json", "--offset", "1").output.hasPrefix(#"{"object":"Person/2""#))
        #expect(try past("--json", "--limit", "0").output == "")
        #expect(try past("--count").output == "2\n")
        #expect(try past("--count", "--json", "--offset", "1").output == #"{"count":1}"# + "\n")
        #expect(try firn.run("fetch", "--count", store.path, "Person").output == "1\n")
    }

    @Test("fetch writes comma-separated values, quoted where they must be")
    func commaSeparated() throws {
        #expect(
            try past("--csv").output
                == "object,born,friend,isActive,name,photo\n"
                + "Person/1,2001-01-01T00:00:00.000000Z,,true,Ada,AP8=\n"
                + "Person/2,2001-01-01T00:00:00.000000Z,Person/1,true,\"Grace \"\"Amazing\"\"\n\",AP8=\n")
        #expect(try past("--csv", "--columns", "name", "--where", "name = 'Nobody'").output == "object,name\n")
    }

    @Test("people see short binary values as hexadecimal digits, and dates without quotation marks")
    func people() throws {
        let line = try #require(try past("--limit", "1").lines.last)
        #expect(line.split(separator: " ").map(String.init)
            == ["Person/1", "2001-01-01T00:00:00.000000Z", "true", "\"Ada\"", "00ff"])
    }

    @Test("fetch explains its SQL, with the values apart from it")
    func explanation() throws {
        let result = try firn.run("fetch", "--explain", "--where", "name == 'it\\'s'", store.path, "Person")
        #expect(result.output.contains("SELECT"))
        #expect(result.output.contains("?1 = 'it's'"))
        #expect(result.output.contains("SCAN t0"))
    }

    @Test("fetch explains the query of the past, too")
    func pastExplanation() throws {
        let result = try firn.run(
            "fetch", "--explain", "--as-of", "3", "--where", "friend.name == 'Ada'", store.path, "Person")
        #expect(result.output.contains("SELECT") && result.output.contains("?1 = 'Ada'"), "\(result.complaints)")
        #expect(result.output.contains("SCAN ") || result.output.contains("SEARCH "))
        let beyond = try firn.run("fetch", "--explain", "--as-of", "99", store.path, "Person")
        #expect(beyond.status != 0 && beyond.complaints.contains("ends with record 4"))
    }

    @Test("fetch prints the SQL that it runs when the environment asks for it")
    func trace() throws {
        let result = try firn.run(
            "fetch", "--where", "name == 'x'", store.path, "Person", environment: ["FIRN_SQL_DEBUG": "3"])
        #expect(result.complaints.contains("CoreData: sql: SELECT"))
        #expect(result.complaints.contains("SQLite bind[1] = 'x'"))
        #expect(result.complaints.contains("query plan: SCAN t0"))
        #expect(!result.complaints.contains("= 'x' ORDER"))
    }

    @Test(
        "fetch says what is wrong with a request, and where",
        arguments: [
            (["Nobody"], "there is no entity “Nobody”"), (["Person", "--where", "name ==="], "at offset"),
            (["Person", "--where", "height > 3"], "no property “height”"),
            (["Person", "--sort", "height"], "no property “height”"),
            (["Person", "--as-of", "99"], "ends with record 4"),
        ])
    func mistakes(arguments: [String], message: String) throws {
        let result = try firn.run(["fetch", store.path] + arguments)
        #expect(result.status == 2)
        #expect(result.complaints.contains(message))
        #expect(result.complaints.split(separator: "\n").count == 1)
    }
}
