/// The parts of the conformance page that the tests themselves tell.
extension ConformanceTable {
    /// How many tests of which suite begin with a line's number.
    struct Citations {
        /// Suites in the order of their files, by line.
        private(set) var suites: [Substring: [(name: Substring, count: Int)]] = [:]
        private(set) var names: Set<Substring> = []

        init(_ tests: [SourceTree.File]) {
            for file in tests {
                var suite: Substring = ""
                for match in file.text.matches(of: numberedTests) {
                    if let name = match.output.1 { suite = name }
                    if let line = match.output.2 { note(line, suite) }
                }
            }
        }

        private mutating func note(_ line: Substring, _ suite: Substring) {
            names.insert(suite)
            if let index = suites[line]?.firstIndex(where: { $0.name == suite }) {
                suites[line]?[index].count += 1
            } else {
                suites[line, default: []].append((suite, 1))
            }
        }

        var testCount: Int { suites.values.joined().reduce(0) { $0 + $1.count } }
    }

    /// The page with the test column and the figures that these tests make.
    static func made(from text: String, tests: [SourceTree.File]) -> String {
        let citations = Citations(tests)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
            if line.wholeMatch(of: /\d+ lines have \d+ tests in \d+ suites\./) != nil {
                return "\(citations.suites.count) lines have \(citations.testCount) tests in "
                    + "\(citations.names.count) suites."
            }
            let row = /(\| ((?:[a-ms]\.|complaint )\d+[a-z]?) \|.*\| )([^|]*) \| ([^|]*) \|/
            guard let match = line.wholeMatch(of: row) else { return String(line) }
            let cell = cell(match.output.3, citations.suites[match.output.2] ?? [], citations.names)
            // What is open may say what is missing.
            let isKnown = cell != "none" || match.output.4.hasPrefix("open")
            let status = isKnown ? match.output.4 : "open"
            return "\(match.output.1)\(cell) | \(status) |"
        }
        return lines.joined(separator: "\n")
    }

    /// Suites that number their tests, with how many each has, then those that the page names and that do not.
    private static func cell(
        _ old: Substring, _ cited: [(name: Substring, count: Int)], _ numbering: Set<Substring>
    ) -> String {
        let others = old.matches(of: /`(\w+)`/).map(\.output.1).filter { !numbering.contains($0) }
        let parts = cited.map { "`\($0.name)` \($0.count)" } + others.map { "`\($0)`" }
        return parts.isEmpty ? "none" : parts.joined(separator: ", ")
    }

    /// Suites that number their tests and would not be run with the others.
    static func misnamed(_ tests: [SourceTree.File]) -> [String] {
        Citations(tests).names.filter { !$0.contains("Conformance") }.sorted().map {
            "\($0) numbers its tests: have Conformance in its name, by which they are run"
        }
    }
}
