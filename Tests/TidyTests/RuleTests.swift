import Testing

/// A rule that never fails holds nothing: each one is shown what it must find.
@Suite("Each rule finds what it is for")
struct RuleTests {
    private func file(_ text: String, at path: String = "Sources/A/A.swift") -> SourceTree.File {
        SourceTree.File(path: path, text: text)
    }

    private let longText = String(repeating: "\n", count: TextRules.lineCountMax + 1)

    @Test("a file that is too long")
    func tooLong() { #expect(TextRules.length(file(longText), longFiles: [:]).count == 1) }

    @Test("a file on the list that has grown")
    func grown() {
        #expect(
            TextRules.length(file(longText), longFiles: ["Sources/A/A.swift": 400])
                == ["Sources/A/A.swift: 401 lines, was 400"])
    }

    @Test("a file on the list that has become short")
    func shrunk() {
        #expect(TextRules.length(file("\n"), longFiles: ["Sources/A/A.swift": 500]).count == 1)
    }

    @Test("a line that is too long")
    func longLine() {
        let line = String(repeating: "x", count: TextRules.columnCountMax + 1) + "\n"
        #expect(
            TextRules.lines(file(line)) == ["Sources/A/A.swift:1: 121 columns, 120 at most"])
    }

    @Test("a last line that does not end")
    func noNewline() {
        #expect(
            TextRules.lines(file("let a = 1")) == [
                "Sources/A/A.swift: does not end with a line break"
            ])
    }

    @Test(
        "a banned call",
        arguments: [
            ("try! open()", "Sources/A/A.swift"), ("fatalError()", "Tools/firn/A.swift"),
            (#"precondition(a, "b")"#, "Sources/A/A.swift"), (#"assertionFailure("b")"#, "Sources/A/A.swift"),
            ("@testable import A", "Tests/ATests/A.swift"), ("usleep(3)", "Tests/ATests/A.swift"),
            ("try await Task.sleep(for: .seconds(1))", "Tests/ATests/A.swift"),
            ("print(a)", "Sources/A/A.swift"), ("  a; print(a)", "Sources/A/A.swift"),
            (#"let s = "\(try! a())""#, "Sources/A/A.swift"),
        ])
    func banned(_ code: String, _ path: String) {
        #expect(BannedCall.findings(in: file(code + "\n", at: path)).count == 1)
    }

    @Test(
        "no banned call where there is none",
        arguments: [
            ("// try! not", "Sources/A/A.swift"), (#"let s = "print(1)""#, "Sources/A/A.swift"),
            (#"fatalError("call open() first")"#, "Sources/A/A.swift"),
            ("page.print(a)", "Sources/A/A.swift"), ("print(a)", "Tools/firn/A.swift"),
            (##"let s = #"a \(try! b) "c" "#"##, "Sources/A/A.swift"),
            ("/* a /* try! */ try! */ let b = 1", "Sources/A/A.swift"),
            ("let t = \"\"\"\n  print(1) \"\n  \"\"\"", "Sources/A/A.swift"),
        ])
    func allowed(_ code: String, _ path: String) {
        #expect(BannedCall.findings(in: file(code + "\n", at: path)) == [])
    }

    @Test("a path of one machine", arguments: ["home", "root", "work", "Users", "opt"])
    func machinePath(_ top: String) {
        let text = "see `/\(top)/somebody/project`\n"
        #expect(TextRules.machinePaths(file(text, at: "README.md")).count == 1)
    }

    @Test("an address is no path of one machine")
    func address() {
        let text = "https://example.org/home/page and a/root/b\n"
        #expect(TextRules.machinePaths(file(text, at: "README.md")).isEmpty)
    }

    @Test("a conformance line whose suite or test is not there, or that has none and is not open")
    func conformance() {
        let test = file("struct OneConformanceTests { @Test(\"a.1 it holds\") func it() {} }", at: "Tests/One.swift")
        let table = """
            | a.1 | holds | H | `OneConformanceTests` | same |
            | a.2 | no such test | H | `OneConformanceTests` | same |
            | a.3 | no such suite | H | `TwoConformanceTests` | same |
            | a.4 | not built | H | none | open: not built |
            | a.5 | no test | H | none | same |
            """
        #expect(
            ConformanceTable.findings(table, tests: [test]) == [
                "Tests/One.swift: no test of a.2",
                "Documentation/CoreDataConformance.md: a.3 names TwoConformanceTests, which no test file has",
                "Documentation/CoreDataConformance.md: a.5 has no test and is not open",
            ])
    }

    @Test("a test with the number of a line that has no row for its suite")
    func unlisted() {
        let test = file(
            "struct OneTests { @Test(\"a.1 it holds\") func it() {} @Test(\n \"a.2 it too\") }", at: "Tests/One.swift")
        let table = "| a.1 | holds | H | `OneTests` | same |\n| a.2 | holds | H | `TwoTests` | same |"
        #expect(ConformanceTable.unlisted(table, tests: [test]) == ["Tests/One.swift: no row of a.2 names OneTests"])
    }

    @Test("a page is made from tests: suites with their counts, others as they were, a line without any is open")
    func made() {
        let test = file(
            "struct OneConformanceTests {\n@Test(\"a.1 it holds\")\n@Test(\n \"a.1 it too\")\n@Test(\"a.3 this\")\n}",
            at: "Tests/One.swift")
        let page = """
            0 lines have 0 tests in 0 suites.
            | a.1 | holds | H | `OldConformanceTests` 3, `TwoTests` | same |
            | a.2 | holds | H | `OneConformanceTests` 3 | same; so far |
            | a.3 | holds | H | none | same |
            """
        #expect(
            ConformanceTable.made(from: page, tests: [test]) == """
                2 lines have 3 tests in 1 suites.
                | a.1 | holds | H | `OneConformanceTests` 2, `OldConformanceTests`, `TwoTests` | same |
                | a.2 | holds | H | none | open |
                | a.3 | holds | H | `OneConformanceTests` 1 | same |
                """)
    }

    @Test("a suite that numbers its tests without being named as such")
    func misnamed() {
        let test = file("struct OneTests {\n@Test(\"a.1 it holds\")\n}", at: "Tests/One.swift")
        #expect(ConformanceTable.misnamed([test]).count == 1)
    }

    @Test("a line of the checklist that has no row, in the sections that are asked for")
    func unanswered() {
        let checklist = "### (a) First\n- [ ] One.\n- [ ] Two.\n### (b) Second\n- [ ] One.\n### Last\n- [ ] Other."
        let table = "| a.1 | holds | H | `OneTests` | same |"
        #expect(
            ConformanceTable.unanswered(table, checklist: checklist, sections: ["a"]) == [
                "Documentation/CoreDataConformance.md: no row of a.2, Two."
            ])
        #expect(ConformanceTable.unanswered(table, checklist: checklist, sections: ["a", "b"]).count == 2)
    }

    @Test("lines of SwiftData, and complaints of its users, are rows like others")
    func swiftDataTable() {
        let test = file(
            "struct OneTests {\n@Test(\"s.1 it holds\")\n@Test(\"complaint 2: it does not\")\n}",
            at: "Tests/SwiftDataTests/One.swift")
        let more = file("extension OneTests {\n@Test(\"s.1 it holds again\")\n}", at: "Tests/SwiftDataTests/Two.swift")
        let page = "| s.1 | holds | none | same |\n| complaint 2 | does not | `OneTests` | same |"
        let open = "\n| s.2 | holds | none | open: all of it |"
        #expect(
            ConformanceTable.made(from: page + open, tests: [test, more])
                == "| s.1 | holds | `OneTests` 2 | same |\n| complaint 2 | does not | `OneTests` 1 | same |" + open)
        #expect(
            ConformanceTable.unlisted(page, tests: [test]) == [
                "Tests/SwiftDataTests/One.swift: no row of s.1 names OneTests"
            ])
        #expect(ConformanceTable.Page.swiftData.tests([test]).count == 1)
        #expect(ConformanceTable.Page.coreData.tests([test]).isEmpty)
        let list = "## Reading\n- no line\n## Behaviour\n- one\n- two\n## Twenty\n| 2 | it | x |\n| 3 | other | x |"
        #expect(
            ConformanceTable.unanswered(page, swiftDataList: list) == [
                "Documentation/SwiftDataConformance.md: no row of s.2, two",
                "Documentation/SwiftDataConformance.md: no row of complaint 3, 3 | other | x |",
            ])
    }

    @Test("a dead link, from the folder of its page")
    func deadLink() {
        let page = file("see [a](../A.md#top) and [b](B.md)\n", at: "Documentation/C.md")
        let findings = TextRules.deadLinks(page) { $0 == "Documentation/../A.md" }
        #expect(findings == ["Documentation/C.md:1: no file B.md"])
    }

    @Test("an address, an anchor and a link in code are no dead links")
    func otherLinks() {
        let page = file("[a](https://a.org) [b](#b) `[c](c)`\n```\n[d](d)\n```\n", at: "README.md")
        #expect(TextRules.deadLinks(page) { _ in false }.isEmpty)
    }
}
