import FirnLog
import Foundation
import TestSupport
import Testing

@Suite("The tool understands times, and says what it understood")
struct TimeToolTests {
    let firn = BuiltProgram("firn")
    let store: SampleStore

    /// All records are of 2023-11-14 22:13:20 UTC.
    init() throws { store = try SampleStore() }

    private func run(_ arguments: String..., zone: String = "UTC") throws -> BuiltProgram.Result {
        try firn.run(arguments, environment: ["TZ": zone])
    }

    @Test(
        "a time is a point of every verb, and is printed back with the record that it stands for",
        arguments: [
            ["log", "--after", "-2h", "STORE"], ["log", "--until", "10:30", "STORE"],
            ["tail", "--after", "-1d", "STORE"],
            ["show", "STORE", "yesterday"], ["as-of", "STORE", "-2h"], ["diff", "STORE", "2", "last week"],
            ["export", "--after", "monday", "STORE"], ["fetch", "--as-of", "-3mo", "STORE", "Person"],
            ["verify", "--since", "yesterday", "STORE"], ["trim", "--before", "2023-11-14", "STORE"],
        ])
    func everywhere(_ arguments: [String]) throws {
        let result = try firn.run(arguments.map { $0 == "STORE" ? store.path : $0 })
        #expect(result.status == 0, "\(result.complaints)")
        #expect(result.complaints.contains(" is 20"), "\(result.complaints)")
        #expect(result.complaints.contains("after record 4") || result.complaints.contains("before the first record"))
    }

    @Test("a day begins at midnight of the local zone, also of one that Foundation does not know")
    func zone() throws {
        for zone in ["Europe/Berlin", "CET-1CEST,M3.5.0,M10.5.0/3"] {
            let result = try run("as-of", "--json", store.path, "2023-11-15", zone: zone)
            #expect(result.complaints == "firn: note: 2023-11-15 is 2023-11-15 00:00:00 +01:00, after record 4\n")
        }
        let local = try run("as-of", store.path, "2023-11-14 23:13:21", zone: "Europe/Berlin")
        #expect(local.status == 0)
        #expect(try run("as-of", store.path, "2023-11-14 23:13:21", zone: "UTC").status == 0)
        #expect(try run("as-of", store.path, "2023-11-14 23:13:19", zone: "Europe/Berlin").status == 2)
    }

    @Test("a time as it is printed, in whole seconds, is a point after the records of that second")
    func printed() throws {
        let line = try run("log", "--limit", "1", store.path).lines[1]
        let time = "2023-11-14 22:13:20"
        #expect(line.contains(time))
        #expect(try run("as-of", "--json", store.path, time).lines == run("as-of", "--json", store.path, "head").lines)
        #expect(try run("log", "--json", "--from", time, "--until", time, store.path).lines.count == 4)
        #expect(try run("log", "--json", "--until", time + ".123455", store.path).lines.isEmpty)
    }

    @Test("a time that clocks show twice is printed with its zone the second time, and read back as that")
    func shownTwice() throws {
        // At 24:00 of 14 November 2023 these clocks are set back to 23:00.
        let zone = "AAA-1BBB,M3.5.0,M11.2.2/24"
        let time = "2023-11-14 23:13:20 +01:00"
        #expect(try run("log", "--limit", "1", store.path, zone: zone).lines[1].contains(time))
        #expect(try run("log", "--json", "--from", time, "--until", time, store.path, zone: zone).lines.count == 4)
        let first = try run("log", "--json", "--until", "2023-11-14 23:13:20", store.path, zone: zone)
        #expect(first.lines.isEmpty)
    }

    @Test(
        "a state before the first record is refused with that record's date",
        arguments: [["as-of", "STORE", "2020-01-01"], ["show", "STORE", "2020-01-01Z"]])
    func early(_ arguments: [String]) throws {
        let result = try firn.run(
            arguments.map { $0 == "STORE" ? store.path : $0 }, environment: ["TZ": "UTC"])
        #expect(result.status == 2)
        #expect(
            result.complaints.contains("before the first record, which is of 2023-11-14 22:13:20 +00:00"),
            "\(result.complaints)")
    }

    @Test("a list from before the first record says so")
    func list() throws {
        let result = try run("log", "--json", "--until", "2020-01-01", store.path)
        #expect(result.output == "")
        #expect(result.complaints.contains("2020-01-01 is 2020-01-01 00:00:00 +00:00, before the first record"))
        #expect(result.complaints.contains("no record matches, of records 1 to 4"))
    }

    @Test("trim --before keeps the record and later ones, or those that are not earlier than a time")
    func trim() throws {
        #expect(try run("trim", "--before", "3", "--json", store.path).output.contains(#""baseline":2"#))
        #expect(try run("trim", "--before", "2023-11-14", "--json", store.path).output.contains(#""baseline":2"#))
        #expect(try run("trim", "--before", "yesterday", "--json", store.path).output.contains(#""baseline":4"#))
        #expect(try run("verify", store.path).status == 0)
        #expect(try run("trim", "--before", "9", store.path).status == 2)
    }
}
