import FirnLog
import Foundation
import TestSupport
import Testing

@Suite("The tool refuses what does not exist, says what does, and writes nothing")
struct ToolMistakeTests {
    let firn = BuiltProgram("firn")
    let store: SampleStore

    init() throws { store = try SampleStore() }

    /// The arguments with `STORE` in place of the store's path.
    private func expectRefused(
        _ arguments: [String], _ parts: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let head = try store.log.refresh()
        let files = try contents()
        let result = try firn.run(arguments.map { $0.replacingOccurrences(of: "STORE", with: store.path) })
        #expect(result.status == 2, "\(arguments)", sourceLocation: sourceLocation)
        #expect(result.output == "", "\(arguments)", sourceLocation: sourceLocation)
        for part in parts {
            #expect(
                result.complaints.contains(part), "\(arguments): \(result.complaints)", sourceLocation: sourceLocation)
        }
        #expect(try store.log.refresh() == head, "\(arguments)", sourceLocation: sourceLocation)
        #expect(try contents() == files, "\(arguments)", sourceLocation: sourceLocation)
    }

    /// Without the history file, which verbs make to find an object.
    private func contents() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: store.folder.url.path).sorted()
            .filter { !$0.contains("-history") }
    }

    @Test(
        "an entity that the model does not have",
        arguments: [
            ["fetch", "STORE", "Persn"], ["erase", "STORE", "person/1"], ["as-of", "--entity", "Persons", "STORE", "3"],
            ["diff", "--entity", "Prson", "STORE", "2"], ["log", "--entity", "PERSON", "STORE"],
            ["history", "STORE", "Preson/1"],
        ])
    func entity(_ arguments: [String]) throws {
        try expectRefused(arguments, ["there is no entity “", "did you mean Person?"])
    }

    @Test(
        "a property that the entity does not have",
        arguments: [
            ["fetch", "--where", "nam = 'x'", "STORE", "Person"], ["fetch", "--sort", "Name", "STORE", "Person"],
            ["fetch", "--columns", "born,nmae", "STORE", "Person"],
            ["erase", "--property", "namee", "STORE", "Person/1"],
            ["history", "--property", "nme", "STORE", "Person/1"],
        ])
    func property(_ arguments: [String]) throws {
        try expectRefused(arguments, ["did you mean name?", "isActive"])
    }

    @Test("an author without a name, who would be anybody")
    func author() throws { try expectRefused(["log", "--author", "", "STORE"], ["--author is empty"]) }

    @Test("an object that never was", arguments: [["erase", "STORE", "Person/9"], ["history", "STORE", "Person/9"]])
    func object(_ arguments: [String]) throws { try expectRefused(arguments, ["no record", "names Person/9"]) }

    @Test("an object without a key that can be one", arguments: ["Person/0", "Person/-3", "Person", "Person/x", "/1"])
    func key(_ object: String) throws { try expectRefused(["erase", "STORE", object], ["for example Author/7"]) }

    @Test(
        "a record after the last one",
        arguments: [
            ["log", "--after", "9", "STORE"], ["log", "--from", "9", "STORE"], ["log", "--until", "9", "STORE"],
            ["tail", "--after", "9", "STORE"], ["export", "--after", "9", "STORE"], ["show", "STORE", "9"],
            ["as-of", "STORE", "9"], ["diff", "STORE", "9"], ["verify", "--since", "9", "STORE"],
        ])
    func record(_ arguments: [String]) throws {
        try expectRefused(arguments, ["no record 9", "ends with record 4"])
    }

    @Test(
        "a point that is none",
        arguments: [
            ["log", "--after", "someday", "STORE"], ["tail", "--after", "someday", "STORE"],
            ["export", "--after", "someday", "STORE"], ["show", "STORE", "someday"],
            ["as-of", "STORE", "someday"],
            ["diff", "STORE", "someday"], ["fetch", "--as-of", "someday", "STORE", "Person"],
            ["replicate", "--until", "someday", "STORE", "Other"],
        ])
    func point(_ arguments: [String]) throws {
        try expectRefused(arguments, ["a record's number, head, or a time: yesterday, "])
    }

    @Test(
        "a direction, a number or a combination that makes no sense",
        arguments: [
            (["fetch", "--sort", "name:down", "STORE", "Person"], "KEY:desc"),
            (["fetch", "--sort", ":desc", "STORE", "Person"], "KEY:desc"),
            (["fetch", "--limit", "-1", "STORE", "Person"], "cannot be less than 0"),
            (["fetch", "--offset", "-1", "STORE", "Person"], "cannot be less than 0"),
            (["fetch", "--csv", "--json", "STORE", "Person"], "one of"),
            (["fetch", "--count", "--columns", "name", "STORE", "Person"], "--count"),
            (["fetch", "--where", "name = $x", "STORE", "Person"], "write the value itself"),
            (["log", "--limit", "-1", "STORE"], "cannot be less than 0"),
            (["log", "--from", "1", "--after", "1", "STORE"], "not both"),
            (["trim", "--keep", "-1", "STORE"], "less than nothing"),
            (["as-of", "--tables", "x", "--entity", "Person", "STORE", "3"], "leave --entity out"),
            (["as-of", "--tables", "STORE.none/x", "STORE", "3"], "no folder"),
            (["model", "show", "--version", "2", "STORE"], "one model"),
        ])
    func nonsense(_ arguments: [String], _ part: String) throws { try expectRefused(arguments, [part]) }

    @Test(
        "a verb that does not exist",
        arguments: [
            (["inf", "STORE"], "did you mean info?"), (["help", "verfy"], "did you mean verify?"),
            (["model", "shw", "STORE"], "did you mean show?"), (["frobnicate"], "firn --help"),
        ])
    func verb(_ arguments: [String], _ part: String) throws { try expectRefused(arguments, ["no verb", part]) }

    @Test("a subscription that does not exist")
    func subscription() throws {
        try store.log.store(Subscription(name: "mail", checkpoint: 2, date: 0, deadLetters: []))
        try expectRefused(["subscriptions", "--forget", "mial", "STORE"], ["did you mean mail?"])
    }

    @Test("a log that is to follow itself", arguments: ["STORE", "STORE-log", "LINK"])
    func itself(_ target: String) throws {
        let link = store.folder.file("Link.sqlite-log")
        try FileManager.default.createSymbolicLink(
            at: link, withDestinationURL: URL(fileURLWithPath: store.path + "-log"))
        let path = target == "LINK" ? store.folder.file("Link.sqlite").path : target
        try expectRefused(["replicate", "STORE", path], ["cannot follow itself"])
        try expectRefused(["replicate", "STORE", ""], ["name is empty"])
    }

    @Test("a hint never names a key's file that is there")
    func keys() throws {
        let key = store.folder.file("key.pem").path
        try Data("-----BEGIN PRIVATE KEY-----\nnothing\n-----END PRIVATE KEY-----\n".utf8)
            .write(to: URL(fileURLWithPath: key))
        for arguments in [
            ["checkpoint", "--key", key, store.path],
            ["verify", "--since", store.path + "-signed", "--public-key", key, store.path],
        ] {
            if arguments[0] == "verify" { try sign(to: store.path + "-signed") }
            let result = try firn.run(arguments)
            #expect(result.status == 2)
            #expect(!result.complaints.contains("-out " + key), "\(result.complaints)")
            #expect(result.complaints.contains("openssl"))
        }
        let missing = store.folder.file("new.pem").path
        #expect(try firn.run("checkpoint", "--key", missing, store.path).complaints.contains("-out " + missing))
    }

    private func sign(to file: String) throws {
        let signed = try SignedCheckpoint(try store.log.checkpoint(at: 4), privateKey: Array(repeating: 7, count: 32))
        try Data(signed.text.utf8).write(to: URL(fileURLWithPath: file))
    }
}
