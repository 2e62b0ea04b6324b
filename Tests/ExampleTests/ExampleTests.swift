import Foundation
import TestSupport
import Testing

@Suite("The examples, as a person runs them")
struct ExampleTests {
    /// What a program prints, run in a new folder, and once more in the same one.
    private func lines(_ name: String) throws -> [[String]] {
        let folder = try TemporaryDirectory()
        let program = BuiltProgram(name)
        return try (1...2).map { _ in
            let result = try program.run(folder.url.path)
            #expect(result.status == 0, "\(name): \(result.complaints)")
            return result.lines
        }
    }

    @Test("Orders: a hundred are made, one is found, changed and deleted")
    func orders() throws {
        let expected = [
            "found order 42 of Ada, total 63.0", "updated order 42: call before delivery, total 73.0",
            "dearest: [100, 99, 98]", "after deleting one: 99", "after deleting the customer: 0",
            "customers before and after: 0, 0",
        ]
        #expect(try lines("Orders") == [expected, expected])
    }

    @Test("Uploads: success and failure come by closures")
    func uploads() throws {
        let expected = [
            "open", "b.jpg is done", "unknown record: code 133000", "waiting: [\"a.jpg\", \"c.jpg\"]",
            "done: [\"b.jpg\"]", "removed 3",
        ]
        #expect(try lines("Uploads") == [expected, expected])
    }

    @Test("School: students, teachers and courses by generated accessors")
    func school() throws {
        let expected = [
            "Noether teaches Music, Algebra, History", "Algebra: Ada, Cleo", "History: Ada", "Music: Ada, Cleo",
            "busy musicians: [\"Ada\", \"Cleo\"]", "courses without a teacher: 3",
        ]
        #expect(try lines("School") == [expected, expected])
    }

    @Test("that print with standard output closed print into no file of their store")
    func closedOutput() throws {
        let folder = try TemporaryDirectory()
        let orders = BuiltProgram("Orders")
        let shell = BuiltProgram(url: URL(filePath: "/bin/bash"))
        _ = try shell.run("-c", "\"$1\" \"$2\" <&- >&- 2>&-", "bash", orders.url.path, folder.url.path)
        let result = try orders.run(folder.url.path)
        #expect(result.status == 0, "\(result.complaints)")
    }

    @Test("end with one sentence where no store can be", arguments: ["Orders", "Uploads", "School", "ThreeLayers"])
    func mistake(_ name: String) throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("file")
        try Data("no folder".utf8).write(to: file)
        let result = try withExtendedLifetime(folder) { try BuiltProgram(name).run(file.path) }
        #expect(result.status == 1)
        #expect(result.complaints.split(separator: "\n").count == 1, "\(result.complaints)")
        #expect(result.complaints.contains(file.path), "\(result.complaints)")
    }

    @Test("ThreeLayers: what the main context saves, the reader below it sees")
    func threeLayers() throws {
        let expected = [
            "inserted: [\"one\", \"three\", \"two\"]", "updated: [\"2\", \"one\", \"three\"]", "deleted: [\"2\"]",
            "empty again: []",
        ]
        #expect(try lines("ThreeLayers") == [expected, expected])
    }
}
