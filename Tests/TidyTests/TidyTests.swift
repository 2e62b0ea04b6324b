import Foundation
import Testing

@Suite("The tree is tidy")
struct TidyTests {
    /// One comment for all findings of a rule, so that one run shows them all.
    private func expectNone(_ findings: [String], sourceLocation: SourceLocation = #_sourceLocation)
    {
        #expect(
            findings.isEmpty, "\(findings.joined(separator: "\n"))", sourceLocation: sourceLocation)
    }

    @Test("the rules see the tree")
    func sight() {
        let paths = Set(SourceTree.files.map(\.path))
        #expect(
            paths.isSuperset(of: ["Package.swift", "Sources/CoreData/CoreData.swift", ".gitignore"])
        )
    }

    @Test("no Swift file is too long")
    func lengths() { expectNone(SourceTree.swiftFiles.flatMap { TextRules.length($0) }) }

    @Test("lines are short enough and the last one ends")
    func lines() { expectNone(SourceTree.swiftFiles.flatMap { TextRules.lines($0) }) }

    @Test("no banned call is made")
    func calls() { expectNone(SourceTree.swiftFiles.flatMap { BannedCall.findings(in: $0) }) }

    @Test("no file names a path of one machine")
    func machinePaths() { expectNone(SourceTree.files.flatMap { TextRules.machinePaths($0) }) }

    @Test("every line of the conformance table has its test")
    func conformance() throws {
        let table = try #require(SourceTree.files.first { $0.path == ConformanceTable.page })
        let tests = SourceTree.swiftFiles.filter {
            $0.path.hasPrefix("Tests/") && !$0.path.hasPrefix("Tests/TidyTests/")
        }
        expectNone(ConformanceTable.findings(table.text, tests: tests))
        expectNone(ConformanceTable.unlisted(table.text, tests: tests))
        expectNone(ConformanceTable.misnamed(tests))
    }

    /// With `FIRN_WRITE_CONFORMANCE` set the page is written: that is what `Tools/conformance` does.
    @Test("the conformance table is what the tests make of it")
    func conformanceMade() throws {
        let table = try #require(SourceTree.files.first { $0.path == ConformanceTable.page })
        let tests = SourceTree.swiftFiles.filter {
            $0.path.hasPrefix("Tests/") && !$0.path.hasPrefix("Tests/TidyTests/")
        }
        let made = ConformanceTable.made(from: table.text, tests: tests)
        guard ProcessInfo.processInfo.environment["FIRN_WRITE_CONFORMANCE"] == nil else {
            return try Data(made.utf8).write(to: SourceTree.root.appending(path: ConformanceTable.page))
        }
        #expect(made == table.text, "\(ConformanceTable.page) is not what the tests make of it: run Tools/conformance")
    }

    /// The checklist of what Core Data does, which is no part of the package.
    private static let checklist = SourceTree.root.appending(path: "../shared/design/semantics.md").standardizedFileURL

    @Test(
        "every line of the checklist has a row in the conformance table",
        .enabled(
            if: FileManager.default.fileExists(atPath: checklist.path),
            "the checklist is absent: put it at ../shared/design/semantics.md"))
    func checklistAnswered() throws {
        let table = try #require(SourceTree.files.first { $0.path == ConformanceTable.page })
        let checklist = try String(contentsOf: Self.checklist, encoding: .utf8)
        expectNone(ConformanceTable.unanswered(table.text, checklist: checklist, sections: Set("abcdefghijk")))
    }

    @Test("every relative link of a page leads somewhere")
    func links() {
        expectNone(
            SourceTree.files.filter(\.isMarkdown).flatMap { page in
                TextRules.deadLinks(page) {
                    FileManager.default.fileExists(
                        atPath: SourceTree.root.appending(path: $0).standardizedFileURL.path)
                }
            })
    }
}
