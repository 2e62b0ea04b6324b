import Foundation
import GitHistory
import TestSupport
import Testing

@Suite("A repository is read as git keeps it")
struct GitRepositoryTests {
    @Test(
        "the changes of all commits, applied in order, give each commit's tree",
        arguments: [[], ["--sha256"]])
    func replay(_ options: [String]) throws {
        let folder = try TemporaryDirectory()
        let seed = SeededGenerator().seed % 1_000_000
        try MadeRepository.make(in: folder.path, commits: 150, seed: seed, options: options)
        let repository = try GitRepository(folder.path)
        var tree: [GitPath: GitEntry] = [:]
        var count = 0
        try repository.forEachCommit { commit in
            for change in commit.changes { tree[change.path] = change.entry }
            count += 1
            if count.isMultiple(of: 15) {
                let actual = try repository.tree(of: commit.identifier)
                #expect(tree == actual, "commit \(count), seed \(seed)")
            }
        }
        #expect(count == 150, "seed \(seed)")
    }

    @Test("reading goes on after a commit")
    func rest() throws {
        let folder = try TemporaryDirectory()
        try MadeRepository.make(in: folder.path, commits: 20, seed: 3)
        let repository = try GitRepository(folder.path)
        var all: [Data] = []
        try repository.forEachCommit { all.append($0.identifier) }
        var rest: [Data] = []
        try repository.forEachCommit(after: all[11]) { rest.append($0.identifier) }
        #expect(rest == Array(all[12...]))
    }

    @Test("a repository without a commit has an empty history")
    func empty() throws {
        let folder = try TemporaryDirectory()
        try MadeRepository.run("git", "init", "--quiet", folder.path)
        #expect(try GitRepository(folder.path).commitCount() == 0)
    }

    @Test("a folder that is no repository is an error that names it")
    func noRepository() throws {
        let folder = try TemporaryDirectory()
        let error = #expect(throws: DemoError.self) { try GitRepository(folder.path) }
        #expect(error?.message.hasPrefix(folder.path + ": not a git repository") == true)
    }
}

/// Repositories that `Tools/make-git-history` makes.
enum MadeRepository {
    static func make(in folder: String, commits: Int, seed: UInt64, options: [String] = []) throws {
        let script = PackageFolder.url.appending(path: "Tools/make-git-history").path
        try run([script, folder, "--commits", "\(commits)", "--seed", "\(seed)"] + options)
    }

    static func run(_ command: String...) throws { try run(command) }

    private static func run(_ command: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(command.joined(separator: " "))")
    }
}
