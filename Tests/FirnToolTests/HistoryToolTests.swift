import FirnLog
import Foundation
import TestSupport
import Testing

@Suite("The tool looks after a store's history")
struct HistoryToolTests {
    let firn = BuiltProgram("firn")
    let store: SampleStore

    init() throws { store = try SampleStore() }

    @Test("trim deletes what is not kept, and the store still verifies and rebuilds", arguments: [0, 1, 2])
    func trim(_ count: Int) throws {
        let result = try firn.run("trim", "--keep", "\(count)", "--json", store.path)
        #expect(
            result.output == #"{"store":"\#(store.path)","baseline":\#(4 - count),"head":4}"# + "\n",
            "\(result.complaints)")
        #expect(try firn.run("verify", store.path).status == 0)
        try FileManager.default.removeItem(atPath: store.path)
        #expect(try firn.run("rebuild", store.path).status == 0)
        #expect(try firn.run("verify", store.path).output.contains("tables: equal to a rebuild"))
        #expect(try firn.run("log", "--json", store.path).lines.count == count)
    }

    @Test("trim says what it did in words, and wants to know what to keep")
    func trimText() throws {
        #expect(try firn.run("trim", store.path).status == 2)
        #expect(try firn.run("trim", "--days", "-1", store.path).status == 2)
        let nothing = try firn.run("trim", "--keep", "100", store.path)
        #expect(nothing.output == "\(store.path): nothing to delete; records 1 to 4\n")
        let result = try firn.run("trim", "--days", "1", store.path)
        #expect(result.output == "\(store.path): the records up to 4 are gone; none are left\n")
    }

    @Test("a list that is empty says so on standard error, and ends with status 0")
    func nothing() throws {
        for (arguments, words) in [
            (["subscriptions", store.path], "there are no subscriptions"),
            (["log", "--author", "nobody", store.path], "no record matches, of records 1 to 4"),
            (["tail", "--after", "head", store.path], "no record after 4, of records 1 to 4"),
            (["diff", store.path, "4", "head"], "no difference between records 4 and 4"),
            (["export", "--after", "head", store.path], "no changes after record 4"),
            (["fetch", "--where", "name = 'x'", "--json", store.path, "Person"], "no Person to list"),
            (["history", "--property", "friend", store.path, "Person/1"], "no record changed that property"),
        ] {
            let result = try firn.run(arguments)
            #expect(result.status == 0, "\(arguments)")
            #expect(result.output == "", "\(arguments)")
            #expect(result.complaints.contains(words), "\(arguments): \(result.complaints)")
        }
    }

    @Test("values are printed as they are, control characters by their pictures")
    func values() throws {
        let shown = try firn.run("show", store.path, "3").output
        #expect(shown.contains(#"    name  "Grace "Amazing"␊""#), "\(shown)")
        #expect(!shown.contains("\\"))
    }

    @Test("subscriptions are listed, keep history from being deleted, and are forgotten on request")
    func subscriptions() throws {
        try store.log.store(
            Subscription(
                name: "mail", checkpoint: 2, date: 0,
                deadLetters: [.init(sequence: 2, date: 0, reason: "no \"address\"")]))
        let listed = try firn.run("subscriptions", "--json", store.path)
        #expect(
            listed.output
                == #"{"name":"mail","checkpoint":2,"behind":2,"date":"1970-01-01T00:00:00.000000Z","deadLetters":"#
                + #"[{"sequence":2,"date":"1970-01-01T00:00:00.000000Z","reason":"no \"address\""}]}"# + "\n")
        #expect(try firn.run("subscriptions", store.path).output.contains("at record 2, 2 behind"))
        #expect(try firn.run("trim", "--keep", "0", "--json", store.path).output.contains(#""baseline":2"#))
        #expect(try firn.run("subscriptions", "--forget", "mail", store.path).status == 0)
        #expect(try firn.run("subscriptions", "--forget", "mail", store.path).status == 2)
        #expect(try firn.run("trim", "--keep", "0", "--json", store.path).output.contains(#""baseline":4"#))
    }

    @Test("history shows what happened to one object, or one property")
    func history() throws {
        let all = try firn.run("history", "--json", store.path, "Person/1")
        #expect(all.lines.count == 2)
        #expect(
            all.lines.last
                == #"{"sequence":4,"date":"2023-11-14T22:13:20.123456Z","author":"test","change":"#
                + #"{"operation":"update","object":"Person/1","old":{"name":"Ada"},"new":{"name":"Ada Lovelace"}}}"#)
        #expect(try firn.run("history", "--json", "--property", "photo", store.path, "Person/1").lines.count == 1)
        let name = try firn.run("history", "--property", "name", store.path, "Person/1")
        #expect(
            name.lines.filter { !$0.hasPrefix("record") } == [
                "+ Person/1", #"    name  "Ada""#, "~ Person/1", #"    name  "Ada" → "Ada Lovelace""#,
            ])
        #expect(try firn.run("history", store.path, "Person/p2").output.contains("- Person/2"))
        #expect(try firn.run("history", store.path, "Person/9").status == 2)
        #expect(try firn.run("history", store.path, "nobody").status == 2)
    }

    @Test("export writes Debezium's envelope; what was trimmed is read from the baseline")
    func export() throws {
        let lines = try firn.run("export", store.path).lines
        #expect(lines.count == 4)
        #expect(
            lines[2]
                == #"{"op":"u","before":{"name":"Ada"},"after":{"name":"Ada Lovelace"},"source":{"store":"#
                + #""\#(store.path)","sequence":4,"author":"test","context":"context","entity":"Person","key":1},"#
                + #""ts_ms":1700000000123,"#
                + #""ts_us":1700000000123456}"#)
        #expect(lines[3].hasPrefix(#"{"op":"d","before":{"name":"Grace"},"after":null,"#))
        _ = try firn.run("trim", "--keep", "1", store.path)
        let rest = try firn.run("export", store.path).lines
        #expect(rest.count == 4)
        #expect(rest[0].hasPrefix(#"{"op":"r","before":null,"after":{"born":"#))
        #expect(try firn.run("export", "--after", "1", store.path).status == 2)
        #expect(try firn.run("export", "--after", "3", store.path).lines.count == 2)
    }
}
