import Foundation

/// The outcome of a run for people: one block a workload.
enum Table {
    static func text(_ outcome: Outcome) -> String {
        var lines = ["\(outcome.workload): \(outcome.summary)"]
        let raw = outcome.sides.first?.seconds.median ?? 0
        for side in outcome.sides {
            let ratio = raw > 0 ? String(format: "%6.2f ×", side.seconds.median / raw) : ""
            let figures = side.figures.sorted { $0.key < $1.key }
                .map { "\($0.key) \(number($0.value.median))" }.joined(separator: ", ")
            lines.append(
                "  \(padded(side.side, 16)) \(time(side.seconds.median))  "
                    + "(\(time(side.seconds.least)) – \(time(side.seconds.most)))  \(ratio)  "
                    + "\(megabytes(side.peakBytes.median))  \(figures)")
        }
        for goal in outcome.goals {
            lines.append(
                "  \(goal.isMet ? "reached" : "MISSED ")  \(goal.text): \(number(goal.reached))")
        }
        if !outcome.sidesAgree { lines.append("  THE SIDES READ DIFFERENT DATA: no figure counts") }
        return lines.joined(separator: "\n")
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func time(_ seconds: Double) -> String {
        seconds < 1 ? String(format: "%7.1f ms", seconds * 1000) : String(format: "%7.2f s ", seconds)
    }

    private static func megabytes(_ bytes: Double) -> String {
        String(format: "%5.0f MB", bytes / 1_000_000)
    }

    static func number(_ value: Double) -> String {
        if value.isNaN { return "not measured" }
        return abs(value) >= 1000 ? String(format: "%.0f", value) : String(format: "%.3g", value)
    }
}
