import Foundation

/// Commands with what they print, as a page shows them: `$ ` begins a command, what follows is its output.
package struct Transcript: Sendable, Equatable {
    package struct Step: Sendable, Equatable {
        package var command: String
        package var output: [String]
        /// The command's line on the page, counted from 1.
        package var line: Int
        /// Whether numbers in the output are others in each run.
        package var hasOtherFigures = false

        /// Whether a run printed what the page shows.
        package func matches(_ printed: [String]) -> Bool {
            guard hasOtherFigures else { return Transcript.matches(printed, output) }
            return Transcript.matches(printed.map(Transcript.withoutFigures), output.map(Transcript.withoutFigures))
        }
    }

    package private(set) var steps: [Step] = []

    package init(_ block: Page.Block) {
        for (index, line) in block.lines.enumerated() {
            if line.hasPrefix("$ ") {
                steps.append(.init(command: String(line.dropFirst(2)), output: [], line: block.line + index))
                steps[steps.count - 1].hasOtherFigures = block.directive == "figures differ"
            } else if let last = steps.indices.last {
                if steps[last].output.isEmpty, steps[last].command.hasSuffix("\\") {
                    steps[last].command = String(steps[last].command.dropLast() + line.drop { $0 == " " || $0 == ">" })
                } else {
                    steps[last].output.append(line)
                }
            }
        }
    }

    /// A line with `0` for each number, date and time.
    private static func withoutFigures(_ line: String) -> String { line.replacing(#/ *\d[\d.,:-]*/#, with: " 0") }

    /// Whether output is what the page says. `…` stands for any text within a line, and alone for any lines.
    package static func matches(_ output: [String], _ expected: [String]) -> Bool {
        guard let first = expected.first else { return output.isEmpty }
        if first == "…" {
            return (0...output.count).contains { matches(Array(output[$0...]), Array(expected.dropFirst())) }
        }
        guard let line = output.first, lineMatches(Substring(line), Substring(first)) else { return false }
        return matches(Array(output.dropFirst()), Array(expected.dropFirst()))
    }

    private static func lineMatches(_ line: Substring, _ expected: Substring) -> Bool {
        let parts = expected.split(separator: "…", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return line == expected }
        guard line.hasPrefix(parts[0]), line.hasSuffix(parts[parts.count - 1]) else { return false }
        var rest = line.dropFirst(parts[0].count)
        for part in parts.dropFirst() where !part.isEmpty {
            guard let range = rest.range(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return true
    }
}
