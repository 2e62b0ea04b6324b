import Foundation

/// The table of the last run in a Markdown page, between two marks.
struct Page {
    let file: URL
    private let before: String
    private let after: String

    /// Throws if the page is not there, or lacks the marks: better before the run than after it. The suite `models`,
    /// which another build runs, has a table of its own.
    init(_ path: String, ofModels: Bool) throws {
        let command = ofModels ? "Tools/bench models --page" : "Tools/bench --page"
        let (first, last) = ("<!-- The table of `\(command)`: begin -->", "<!-- The table of `\(command)`: end -->")
        file = URL(fileURLWithPath: path)
        let text = try String(contentsOf: file, encoding: .utf8)
        guard let begin = text.range(of: first), let end = text.range(of: last),
            begin.upperBound <= end.lowerBound
        else { throw PageError(path: path, first: first, last: last) }
        before = String(text[..<begin.upperBound])
        after = String(text[end.lowerBound...])
    }

    /// Puts the outcomes into the page in place of those of the run before.
    func write(_ outcomes: [Outcome], rounds: Int, day: String) throws {
        var lines = ["", "", "Run on \(day), \(rounds) rounds of each side.", ""]
        lines += ["| workload | what is compared | reached | goal |", "| --- | --- | ---: | ---: |"]
        for outcome in outcomes {
            for goal in outcome.goals {
                let reached = outcome.sidesAgree ? Table.number(goal.reached) : "the sides disagree"
                let limit = goal.isMet ? goal.limit : goal.limit + ", missed"
                lines.append("| `\(outcome.workload)` | \(goal.subject) | \(reached) | \(limit) |")
            }
        }
        lines += ["", ""]
        try (before + lines.joined(separator: "\n") + after).write(to: file, atomically: true, encoding: .utf8)
    }
}

struct PageError: Error, CustomStringConvertible {
    let path: String
    let first: String
    let last: String

    var description: String {
        "\(path) lacks the lines \"\(first)\" and \"\(last)\", between which the table goes: put them there"
    }
}

extension GoalOutcome {
    /// "time ≤ 2.2 × raw" is about "time × raw", which should be "≤ 2.2".
    private var words: [Substring] { text.split(separator: " ") }

    fileprivate var limit: String {
        guard let place = words.firstIndex(where: { $0 == "≤" || $0 == "≥" }), place + 1 < words.count
        else { return text }
        return "\(words[place]) \(words[place + 1])"
    }

    fileprivate var subject: String {
        guard let place = words.firstIndex(where: { $0 == "≤" || $0 == "≥" }) else { return text }
        return (words[..<place] + words[(place + 2)...]).joined(separator: " ")
    }
}
