import Foundation
import TestSupport
import Testing

@Suite("The demo, as a person runs it")
struct DemoTests {
    let demo = BuiltProgram("GitHistory")
    let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private var store: String { folder.file("History.sqlite").path }

    private func repository(commits: Int, seed: UInt64, options: [String] = []) throws -> String {
        let path = folder.file("repository-\(seed)").path
        try MadeRepository.make(in: path, commits: commits, seed: seed, options: options)
        return path
    }

    @Test("every check holds on a history with everything in it", arguments: [[], ["--sha256"]])
    func everything(_ options: [String]) throws {
        let seed = SeededGenerator().seed % 1_000_000
        let result = try demo.run(
            "--store", store, try repository(commits: 120, seed: seed, options: options))
        #expect(result.status == 0, "seed \(seed): \(result)")
        #expect(result.lines.count { $0.hasPrefix("ok ") } == 3, "seed \(seed): \(result)")
    }

    @Test("a second run has nothing to import, and checks again")
    func again() throws {
        let repository = try repository(commits: 20, seed: 5)
        _ = try demo.run("--store", store, repository)
        let result = try demo.run("--store", store, repository)
        #expect(
            result.status == 0 && result.lines.first?.hasPrefix("all 20 commits") == true,
            "\(result)")
    }

    @Test(
        "an import that was killed goes on after the last save that it acknowledged, or after one more"
    )
    func killed() throws {
        let repository = try repository(commits: 300, seed: 6)
        var generator = SeededGenerator()
        var saved = 0
        let kills = ProcessInfo.processInfo.environment["FIRN_KILLS"].flatMap(Int.init) ?? 4
        for round in 0..<kills {
            saved = try importUntilKilled(
                repository,
                after: saved + Int.random(in: 1...max(1, 160 / max(kills, 1)), using: &generator))
            let found = try commitCount()
            #expect(found == saved || found == saved + 1, "round \(round), \(generator)")
            #expect(
                try BuiltProgram("firn").run("verify", store).status == 0,
                "round \(round), \(generator)")
            saved = found
        }
        let result = try demo.run("--store", store, repository)
        #expect(result.status == 0, "\(generator): \(result)")
    }

    /// Kills the import when it has acknowledged commit `number`. Gives the last commit that it acknowledged.
    private func importUntilKilled(_ repository: String, after number: Int) throws -> Int {
        let process = demo.process(["--acknowledge", "--store", store, repository])
        let pipe = Pipe()
        process.standardOutput = FileHandle.nullDevice
        process.standardError = pipe
        try process.run()
        var text = ""
        var last = 0
        while last < number {
            let data = pipe.fileHandleForReading.availableData
            if data.isEmpty { break }
            text += String(decoding: data, as: UTF8.self)
            last = Self.lastAcknowledged(in: text)
        }
        process.killGroup()
        process.waitUntilExit()
        text += String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        return Self.lastAcknowledged(in: text)
    }

    /// Whole lines only: the last one may have been cut off.
    private static func lastAcknowledged(in text: String) -> Int {
        text.matches(of: /saved (\d+)\n/).last.flatMap { Int($0.output.1) } ?? 0
    }

    private func commitCount() throws -> Int {
        let lines = try BuiltProgram("firn").run("log", "--json", store).lines
        return lines.count { $0.contains(#""kind":"changes""#) }
    }

    @Test("tables that were emptied come back as they were")
    func deletedTables() throws {
        let repository = try repository(commits: 30, seed: 7)
        _ = try demo.run("--store", store, repository)
        try URL(filePath: store).discardTables()
        #expect(try demo.run("--store", store, repository).status == 0)
        let verified = try BuiltProgram("firn").run("verify", store)
        #expect(verified.lines.last?.hasPrefix("ok    tables: equal") == true, "\(verified)")
    }

    @Test("a repository without a commit has nothing to import")
    func noCommit() throws {
        let path = folder.file("empty").path
        try MadeRepository.run("git", "init", "--quiet", path)
        let result = try demo.run("--store", store, path)
        #expect(result.status == 0 && result.output.contains("no commit yet"), "\(result)")
    }

    @Test("a folder that is no repository is one line and status 2")
    func noRepository() throws {
        let result = try demo.run("--store", store, folder.path)
        #expect(
            result.status == 2 && result.complaints.contains("not a git repository"), "\(result)")
    }

    @Test("a history that was rewritten is one line and status 2")
    func rewritten() throws {
        _ = try demo.run("--store", store, try repository(commits: 10, seed: 8))
        let result = try demo.run("--store", store, try repository(commits: 10, seed: 9))
        #expect(result.status == 2 && result.complaints.contains("was rewritten"), "\(result)")
    }

    @Test(
        "a store that cannot be made is one line that names it, and status 2",
        arguments: ["folder", "text"])
    func badStore(_ kind: String) throws {
        let url = folder.file("bad.sqlite")
        if kind == "folder" {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        } else {
            try Data("hello\n".utf8).write(to: url)
        }
        let result = try demo.run("--store", url.path, try repository(commits: 3, seed: 4))
        #expect(result.status == 2 && result.complaints.contains(url.path), "\(result)")
    }
}
