/// The table of what Core Data does, held against the tests: no line without one.
enum ConformanceTable {
    static let page = "Documentation/CoreDataConformance.md"

    /// A row of a section whose lines are numbered: `| a.1 | behaviour | source | test | status |`.
    struct Row {
        let line: Substring
        let suites: [Substring]
        let status: Substring
    }

    static func rows(_ text: String) -> [Row] {
        text.split(separator: "\n").compactMap { line in
            guard let match = line.firstMatch(of: /^\| ([a-l]\.\d+) \|.*\| ([^|]*) \| ([^|]*) \|$/) else { return nil }
            return Row(
                line: match.output.1, suites: match.output.2.matches(of: /`(\w+)`/).map(\.output.1),
                status: match.output.3)
        }
    }

    /// Rows whose suites do not exist, or have no test that begins with the row's number; rows without a test that are
    /// not open.
    static func findings(_ text: String, tests: [SourceTree.File]) -> [String] {
        rows(text).flatMap { row -> [String] in
            if row.suites.isEmpty {
                return row.status.hasPrefix("open") ? [] : ["\(page): \(row.line) has no test and is not open"]
            }
            return row.suites.compactMap { suite in
                guard let file = tests.first(where: { $0.text.contains("struct \(suite)") }) else {
                    return "\(page): \(row.line) names \(suite), which no test file has"
                }
                // Suites that are there for the table number their tests; others may serve a line as they are.
                if !suite.contains("Conformance") || file.text.contains("\"\(row.line) ") { return nil }
                return "\(file.path): no test of \(row.line)"
            }
        }
    }
}
