import FirnLog
import Foundation
import TestSupport
import Testing

@Suite("The tool shows what is in a log")
struct ReadingTests {
    let firn = BuiltProgram("firn")
    let store: SampleStore

    init() throws { store = try SampleStore() }

    @Test("log lists every record, newest first")
    func log() throws {
        let result = try firn.run("log", store.path, environment: ["TZ": "UTC"])
        let origin = "  context context, process tests 7"
        let last = #"changed Person/1 “Ada Lovelace”: name "Ada" → "Ada Lovelace"; deleted Person/2 “Grace”"#
        #expect(
            result.output == """
                SEQUENCE  DATE                 AUTHOR                    CHANGES
                       4  2023-11-14 22:13:20  test                      \(last)\(origin)
                       3  2023-11-14 22:13:20  im␛port                   created Person/2 “Grace "Amazing"␊”\(origin)
                       2  2023-11-14 22:13:20  test                      created Person/1 “Ada”\(origin)
                       1  2023-11-14 22:13:20  test                      model of 1 entity\(origin)

                """)
    }

    @Test("log in JSON is one object a line")
    func logJSON() throws {
        let result = try firn.run("log", "--json", "--after", "3", store.path)
        #expect(
            result.output
                == #"{"sequence":4,"kind":"changes","date":"2023-11-14T22:13:20.123456Z","#
                + #""author":"test","context":"context","process":"tests","processID":7,"#
                + #""transaction":"00000000000000030000000000000004","objects":2,"#
                + #""updated":{"Person":1},"deleted":{"Person":1}}"# + "\n")
    }

    @Test("log stops at its limit")
    func limit() throws {
        #expect(try firn.run("log", "--json", "--limit", "2", store.path).lines.count == 2)
    }

    @Test("show has the values of an insert, in the notation of their types")
    func insert() throws {
        let result = try firn.run("show", "--json", store.path, "3")
        #expect(
            result.lines.last
                == #"{"operation":"insert","object":"Person/2","new":{"born":"2001-01-01T00:00:00.000000Z","#
                + #""friend":"Person/1","isActive":true,"name":"Grace \"Amazing\"\n","photo":"AP8="}}"#
        )
    }

    @Test("show has old and new values of an update and the last of a delete")
    func update() throws {
        let lines = try firn.run("show", store.path, "4").lines
        #expect(
            Array(lines.dropFirst(2)) == [
                "    context  context", "    process  tests 7", "~ Person/1", #"    name  "Ada" → "Ada Lovelace""#,
                "- Person/2",
                #"    name  "Grace""#,
            ])
    }

    @Test("show of a model names its entities and properties")
    func model() throws {
        let lines = try firn.run("show", store.path, "1").lines
        #expect(lines.last == "Person  born, friend, isActive, name, photo")
    }

    @Test("tail lists the last ten records")
    func tail() throws {
        for key in 3..<12 {
            try store.append(.changes(SampleStore.insert(Int64(key), name: "x", friend: nil)))
        }
        let lines = try firn.run("tail", "--json", store.path).lines
        #expect(lines.count == 10 && lines[0].hasPrefix(#"{"sequence":4,"#))
    }

    @Test("tail begins after a record")
    func tailAfter() throws {
        #expect(try firn.run("tail", "--json", "--after", "1", store.path).lines.count == 3)
    }

    @Test("info says which records there are, and what they take")
    func info() throws {
        let result = try firn.run("info", "--json", store.path)
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
        let size = try Int(store.log.statistics().frameSize) + Format.segmentHeaderSize
        #expect(object["head"] as? Int == 4 && object["segments"] as? Int == 1)
        #expect(object["logBytes"] as? Int == size)
        #expect((object["firstDate"] as? String)?.hasPrefix("2023-11-14T") == true)
        #expect(object["entities"] as? [String] == ["Person"])
    }

    @Test("info is for people too")
    func infoText() throws {
        let result = try firn.run("info", store.path)
        #expect(result.lines.contains("records       1 to 4"))
    }

    @Test("the log's folder stands for its store")
    func logFolder() throws {
        #expect(try firn.run("log", store.path + "-log").status == 0)
    }

    @Test("reading changes no byte of the log")
    func untouched() throws {
        let before = try Data(contentsOf: store.segment)
        _ = try firn.run("tail", store.path)
        #expect(try Data(contentsOf: store.segment) == before)
    }
}
