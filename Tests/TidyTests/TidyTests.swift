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

    @Test("Every error that leaves its module gives its sentence as its localized description")
    func errors() { expectNone(TextRules.silentErrors(SourceTree.files)) }

    @Test("no file names a path of one machine")
    func machinePaths() { expectNone(SourceTree.files.flatMap { TextRules.machinePaths($0) }) }

    @Test("every line of a conformance table has its test", arguments: ConformanceTable.Page.allCases)
    func conformance(_ page: ConformanceTable.Page) throws {
        let table = try #require(SourceTree.files.first { $0.path == page.path })
        let tests = page.tests(SourceTree.files)
        expectNone(ConformanceTable.findings(table.text, tests: tests, of: page))
        expectNone(ConformanceTable.unlisted(table.text, tests: tests))
        // SwiftData's tests are a package of their own, all of which is run.
        if page == .coreData { expectNone(ConformanceTable.misnamed(tests)) }
    }

    /// With `FIRN_WRITE_CONFORMANCE` set the page is written: that is what `Tools/conformance` does.
    @Test("a conformance table is what the tests make of it", arguments: ConformanceTable.Page.allCases)
    func conformanceMade(_ page: ConformanceTable.Page) throws {
        let table = try #require(SourceTree.files.first { $0.path == page.path })
        let made = ConformanceTable.made(from: table.text, tests: page.tests(SourceTree.files))
        guard ProcessInfo.processInfo.environment["FIRN_WRITE_CONFORMANCE"] == nil else {
            return try Data(made.utf8).write(to: SourceTree.root.appending(path: page.path))
        }
        #expect(made == table.text, "\(page.path) is not what the tests make of it: run Tools/conformance")
    }

    /// The checklist of what Core Data does, which is no part of the package.
    private static let checklist = SourceTree.root.appending(path: "../shared/design/semantics.md").standardizedFileURL

    @Test(
        "every line of the checklist has a row in the conformance table",
        .enabled(
            if: FileManager.default.fileExists(atPath: checklist.path),
            "the checklist is absent: put it at ../shared/design/semantics.md"))
    func checklistAnswered() throws {
        let table = try #require(SourceTree.files.first { $0.path == ConformanceTable.Page.coreData.path })
        let checklist = try String(contentsOf: Self.checklist, encoding: .utf8)
        expectNone(ConformanceTable.unanswered(table.text, checklist: checklist, sections: Set("abcdefghijk")))
    }

    /// The list of what SwiftData does, which is no part of the package.
    private static let swiftDataList =
        SourceTree.root.appending(path: "../shared/design/swiftdata.md").standardizedFileURL

    @Test(
        "every line of the list of SwiftData's behaviour, and every complaint, has a row in its conformance table",
        .enabled(
            if: FileManager.default.fileExists(atPath: swiftDataList.path),
            "the list is absent: put it at ../shared/design/swiftdata.md"))
    func swiftDataAnswered() throws {
        let table = try #require(SourceTree.files.first { $0.path == ConformanceTable.Page.swiftData.path })
        let list = try String(contentsOf: Self.swiftDataList, encoding: .utf8)
        expectNone(ConformanceTable.unanswered(table.text, swiftDataList: list))
    }

    @Test("the macros know the names that a model refuses")
    func reservedNames() throws {
        func names(_ path: String) throws -> Set<Substring> {
            let text = try #require(SourceTree.files.first { $0.path == path }).text
            let list = try #require(text.firstMatch(of: /Set<String> = \[(\s*"[^\]]*)\]/)).output.1
            return Set(list.matches(of: /"(\w+)"/).map(\.output.1))
        }
        let refused = try names("Sources/FirnModel/Model/NSManagedObjectModel+Validation.swift")
        #expect(refused.count > 10)
        #expect(try names("Sources/SwiftDataMacros/ModelChecks.swift") == refused)
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
