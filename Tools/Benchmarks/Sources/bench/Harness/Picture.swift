import Foundation

/// The time of this package as a multiple of the others', a bar for each comparison, as an image that follows the
/// reader's colours. To the left of the line it takes less time than the other side.
struct Picture {
    private struct Bar {
        let workload: String
        let side: String
        let ratio: Double
    }

    private static let sides = ["raw": "plain SQLite", "grdb-fast": "GRDB, fast form", "grdb-codable": "GRDB, Codable",
        "grdb-audit": "GRDB with an audit table", "grdb-observation": "GRDB, observed"]
    private static let (width, left, right, rowHeight, top) = (760.0, 330.0, 60.0, 20.0, 56.0)
    /// The bars end at a fraction and a multiple of the other side's time.
    private static let (ratioMin, ratioMax) = (0.1, 10.0)

    private let bars: [Bar]
    private let run: String

    /// - Parameter run: the rounds and the day.
    init(_ outcomes: [Outcome], _ run: String) {
        self.run = run
        bars = outcomes.filter(\.sidesAgree).flatMap { outcome -> [Bar] in
            guard let ours = outcome.sides.first(where: { $0.side == "firn" })?.seconds.median else { return [] }
            return outcome.sides.compactMap { side in
                guard let name = Self.sides[side.side], side.seconds.median > 0 else { return nil }
                return Bar(workload: outcome.workload, side: name, ratio: ours / side.seconds.median)
            }
        }
    }

    func write(_ path: String) throws { try text.write(toFile: path, atomically: true, encoding: .utf8) }

    private var text: String {
        let height = Self.top + Double(bars.count) * Self.rowHeight + 34
        let middle = Self.place(1)
        var lines = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(Self.width)) \(Int(height))" role="img">
            <title>Time of this package as a multiple of the other side's</title>
            <style>
            text { font: 12px ui-sans-serif, system-ui, sans-serif; fill: #1f2328; }
            .muted { fill: #59636e; } .less { fill: #1a7f37; } .more { fill: #bc4c00; } line { stroke: #8c959f; }
            @media (prefers-color-scheme: dark) {
            text { fill: #e6edf3; } .muted { fill: #9198a1; } .less { fill: #3fb950; } .more { fill: #db6d28; }
            }
            </style>
            <text x="0" y="16" font-weight="600">
            Time as a multiple of the other side's: green is faster, orange slower</text>
            <text class="muted" x="0" y="34">Tools/bench --picture, medians of \(run)</text>
            <line x1="\(middle)" x2="\(middle)" y1="\(Self.top - 12)" y2="\(height - 26)"/>
            """
        ]
        for (index, bar) in bars.enumerated() {
            let y = Self.top + Double(index) * Self.rowHeight
            let end = Self.place(bar.ratio)
            let (x, width) = (min(middle, end), abs(end - middle))
            let isFirst = index == 0 || bars[index - 1].workload != bar.workload
            if isFirst { lines.append("<text x=\"0\" y=\"\(y + 11)\">\(bar.workload)</text>") }
            lines.append("<text class=\"muted\" x=\"160\" y=\"\(y + 11)\">\(bar.side)</text>")
            lines.append(
                "<rect class=\"\(bar.ratio <= 1 ? "less" : "more")\" x=\"\(Self.text(x))\" y=\"\(y)\" "
                    + "width=\"\(Self.text(max(width, 1)))\" height=\"14\" rx=\"2\"/>")
            lines.append(
                "<text x=\"\(Self.text(max(middle, end) + 6))\" y=\"\(y + 11)\">"
                    + "\(String(format: bar.ratio < 0.995 ? "%.2f" : "%.1f", bar.ratio)) ×</text>")
        }
        for (ratio, label) in [(0.1, "0.1 ×"), (0.5, "0.5 ×"), (1, "as fast"), (2, "2 ×"), (10, "10 ×")] {
            lines.append(
                "<text class=\"muted\" text-anchor=\"middle\" x=\"\(Self.text(Self.place(ratio)))\" "
                    + "y=\"\(height - 10)\">\(label)</text>")
        }
        return lines.joined(separator: "\n") + "\n</svg>\n"
    }

    /// The place of a ratio on a logarithmic scale.
    private static func place(_ ratio: Double) -> Double {
        let part = log(min(max(ratio, ratioMin), ratioMax) / ratioMin) / log(ratioMax / ratioMin)
        return left + part * (width - left - right)
    }

    private static func text(_ number: Double) -> String { String(format: "%.1f", number) }
}
