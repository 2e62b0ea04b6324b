import Foundation
import GitHistory
import Testing

@Suite("What git log says becomes commits")
struct GitLogParserTests {
    private static let one = String(repeating: "11", count: 20)
    private static let two = String(repeating: "22", count: 20)
    private static let blob = String(repeating: "ab", count: 20)
    private static let none = String(repeating: "00", count: 20)

    private func parse(_ tokens: [String]) throws -> [GitCommit] {
        var parser = GitLogParser()
        var commits: [GitCommit] = []
        for token in tokens {
            if let commit = try parser.take(Array(token.utf8)[...]) { commits.append(commit) }
        }
        if let commit = try parser.finish() { commits.append(commit) }
        return commits
    }

    private func header(_ identifier: String, parents: String = "", subject: String = "s")
        -> [String]
    {
        ["\u{1}" + identifier, parents, "n", "e", "7", "8", subject]
    }

    @Test("a header's fields stand where they belong")
    func fields() throws {
        let commit = try #require(
            try parse(header(Self.one, parents: Self.two + " " + Self.one)).first)
        var expected = GitCommit(identifier: Data(repeating: 0x11, count: 20))
        expected.firstParent = Data(repeating: 0x22, count: 20)
        (expected.authorName, expected.authorEmail, expected.subject) = ("n", "e", "s")
        expected.authored = Date(timeIntervalSince1970: 7)
        expected.committed = Date(timeIntervalSince1970: 8)
        #expect(commit == expected)
    }

    @Test("a written path has a mode and a blob, a removed one has neither")
    func changes() throws {
        let commits = try parse(
            header(Self.one) + [
                "\n:000000 100755 \(Self.none) \(Self.blob) A", "a",
                ":100644 000000 \(Self.blob) \(Self.none) D", "b",
            ])
        let entry = GitEntry(mode: 0o100755, blob: Data(repeating: 0xab, count: 20))
        #expect(
            commits.first?.changes == [
                GitChange(path: GitPath("a".utf8), entry: entry),
                GitChange(path: GitPath("b".utf8), entry: nil),
            ])
    }

    @Test("a commit without changes does not take the next one's")
    func empty() throws {
        let commits = try parse(
            header(Self.one) + header(Self.two) + [
                "\n:000000 100644 \(Self.none) \(Self.blob) A", "a",
            ])
        #expect(commits.map(\.changes.count) == [0, 1])
    }

    @Test("an empty subject is no end of the commit")
    func emptySubject() throws {
        let commits = try parse(header(Self.one, subject: "") + ["", ""] + header(Self.two))
        #expect(commits.map(\.subject) == ["", "s"])
    }

    @Test("a subject or path that looks like something else stays what it is")
    func lookalikes() throws {
        let odd = "\u{1}" + Self.two
        let commits = try parse(
            header(Self.one, subject: ":100644 x") + [
                "\n:000000 100644 \(Self.none) \(Self.blob) A", odd,
            ])
        #expect(commits.map(\.changes.first?.path) == [GitPath(odd.utf8)])
    }

    @Test("object names of SHA-256 keep their 32 bytes")
    func longNames() throws {
        let name = String(repeating: "c3", count: 32)
        #expect(try parse(header(name)).first?.identifier == Data(repeating: 0xc3, count: 32))
    }

    @Test("a log that breaks off is an error")
    func brokenOff() {
        #expect(throws: DemoError.self) { try parse(Array(header(Self.one).prefix(3))) }
    }

    @Test("something that is no commit and no change is an error")
    func nonsense() {
        #expect(throws: DemoError.self) { try parse(["fatal: no"]) }
    }
}
