/// The tables of what Core Data and SwiftData do, held against the tests: no line without one.
enum ConformanceTable {
    /// A page with such a table, and the tests that it names.
    enum Page: String, CaseIterable {
        case coreData = "Documentation/CoreDataConformance.md"
        case swiftData = "Documentation/SwiftDataConformance.md"

        var path: String { rawValue }

        func tests(_ files: [SourceTree.File]) -> [SourceTree.File] {
            files.filter {
                guard $0.isSwift, $0.path.hasPrefix("Tests/"), !$0.path.hasPrefix("Tests/TidyTests/") else {
                    return false
                }
                return $0.path.hasPrefix("Tests/SwiftDataTests/") == (self == .swiftData)
            }
        }
    }

    /// A row of a section whose lines are numbered: `| a.1 | behaviour | source | test | status |`. Lines of SwiftData
    /// have an `s`; what its users complain of, `complaint 1`.
    struct Row {
        let line: Substring
        let suites: [Substring]
        let status: Substring
    }

    /// The suites of a file, and the numbers of the lines with which the names of their tests begin.
    static var numberedTests: Regex<(Substring, Substring?, Substring?)> {
        #/(?m:^(?:struct|final class|extension) (\w+))|@Test\(\s*"((?:[a-ms]\.|complaint )\d+[a-z]?):? /#
    }

    static func rows(_ text: String) -> [Row] {
        text.split(separator: "\n").compactMap { line in
            let row = /^\| ((?:[a-ms]\.|complaint )\d+[a-z]?) \|.*\| ([^|]*) \| ([^|]*) \|$/
            guard let match = line.firstMatch(of: row) else { return nil }
            return Row(
                line: match.output.1, suites: match.output.2.matches(of: /`(\w+)`/).map(\.output.1),
                status: match.output.3)
        }
    }

    /// Rows whose suites do not exist, or have no test that begins with the row's number; rows without a test that are
    /// not open.
    static func findings(_ text: String, tests: [SourceTree.File], of page: Page = .coreData) -> [String] {
        let page = page.path
        return rows(text).flatMap { row -> [String] in
            if row.suites.isEmpty {
                return row.status.hasPrefix("open") ? [] : ["\(page): \(row.line) has no test and is not open"]
            }
            return row.suites.compactMap { suite in
                func declares(_ file: SourceTree.File) -> Bool {
                    file.text.contains("struct \(suite)") || file.text.contains("final class \(suite)")
                }
                // Most are in the file of their name.
                guard
                    let file = tests.first(where: { $0.path.hasSuffix("/\(suite).swift") && declares($0) })
                        ?? tests.first(where: declares)
                else {
                    return "\(page): \(row.line) names \(suite), which no test file has"
                }
                // Suites that are there for the table number their tests; others may serve a line as they are.
                if !suite.contains("Conformance") || file.text.contains("\"\(row.line) ") { return nil }
                return "\(file.path): no test of \(row.line)"
            }
        }
    }

    /// Tests that begin with the number of a line which no row has that names their suite.
    static func unlisted(_ text: String, tests: [SourceTree.File]) -> [String] {
        let rows = rows(text)
        return tests.flatMap { file -> [String] in
            var suite: Substring = ""
            var findings: [String] = []
            for match in file.text.matches(of: numberedTests) {
                if let name = match.output.1 { suite = name }
                guard let line = match.output.2 else { continue }
                let isListed = rows.contains { $0.line == line && $0.suites.contains(suite) }
                if !isListed { findings.append("\(file.path): no row of \(line) names \(suite)") }
            }
            return findings
        }
    }

    /// Lines of the checklist that no row has. A section begins with `### (a)`, each of its lines with `- [ ]`.
    static func unanswered(_ text: String, checklist: String, sections: Set<Character>) -> [String] {
        let answered = Set(rows(text).map(\.line))
        var section: Character?
        var count = 0
        return checklist.split(separator: "\n").compactMap { line in
            if line.hasPrefix("#") {
                section = line.firstMatch(of: /^### \((\w)\)/)?.output.1.first
                count = 0
            }
            guard let section, sections.contains(section), line.hasPrefix("- [ ]") else { return nil }
            count += 1
            let number = "\(section).\(count)"
            if answered.contains(Substring(number)) { return nil }
            return "\(Page.coreData.path): no row of \(number), \(line.dropFirst(6).prefix(60))"
        }
    }
}
