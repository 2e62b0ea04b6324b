import Foundation
import TestSupport
import Testing

@Suite("The tool's output cannot be written")
struct StandardFileTests {
    private let shell = BuiltProgram(url: URL(filePath: "/bin/bash"))
    private let store: SampleStore

    init() throws { store = try SampleStore() }

    /// Runs a line of the shell, in which `$1` is the tool and `$2` the store.
    private func run(_ line: String) throws -> BuiltProgram.Result {
        try shell.run("-c", line, "bash", BuiltProgram("firn").url.path, store.path)
    }

    @Test(
        "to a full disk: every verb says so, with status 2",
        arguments: ["log", "info", "stats", "export", "verify", "--help", "--version"])
    func full(_ verb: String) throws {
        let result = try run(verb.hasPrefix("-") ? "\"$1\" \(verb) > /dev/full" : "\"$1\" \(verb) \"$2\" > /dev/full")
        #expect(result.status == 2)
        #expect(result.complaints == "firn: standard output cannot be written: No space left on device\n")
    }

    @Test("to a reader that has gone: the tool ends, with nothing said", arguments: ["", "trap '' PIPE; "])
    func pipe(_ prefix: String) throws {
        // The descriptor of a pipe whose reader has ended before the tool begins.
        let result = try run("\(prefix)exec 7> >(:); wait $!; \"$1\" log \"$2\" >&7; echo $?")
        #expect(["2\n", "141\n"].contains(result.output), "\(result.output)")
        #expect(result.complaints == "")
    }

    @Test("anywhere if it is closed, least of all into a file of the store")
    func closed() throws {
        let segment = try Data(contentsOf: store.segment)
        #expect(try run("\"$1\" rebuild \"$2\" >&-").status == 2)
        #expect(try Data(contentsOf: store.segment) == segment)
        #expect(try run("\"$1\" verify \"$2\"").output.contains("tables: equal to a rebuild"))
        #expect(try run("\"$1\" log \"$2\" <&- >&- 2>&-").status == 2)
    }

    @Test("complaints that cannot be written leave the status as it is")
    func complaints() throws {
        #expect(try run("\"$1\" show \"$2\" 99 2> /dev/full").status == 2)
        #expect(try run("\"$1\" log --until -1h \"$2\" 2> /dev/full").status == 0)
    }
}
