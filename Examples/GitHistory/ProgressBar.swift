import Foundation

/// How far a count has come: a bar that redraws itself on a terminal, a line now and then elsewhere.
struct ProgressBar {
    let what: String
    let total: Int
    let isTerminal: Bool
    private let start = ContinuousClock.now
    private var drawn: ContinuousClock.Instant

    private static let redrawInterval = Duration.milliseconds(100)
    private static let lineInterval = Duration.seconds(10)

    init(_ what: String, total: Int, isTerminal: Bool = isatty(STDOUT_FILENO) == 1) {
        self.what = what
        self.total = total
        self.isTerminal = isTerminal
        drawn = start
    }

    /// To be called often: it draws only when enough time has passed.
    mutating func update(_ done: Int) {
        let now = ContinuousClock.now
        guard now - drawn >= (isTerminal ? Self.redrawInterval : Self.lineInterval) else { return }
        drawn = now
        let line = ProgressLine(
            what: what, done: done, total: total, seconds: (now - start).seconds)
        write(isTerminal ? "\r" + line.bar + "\u{1B}[K" : line.text + "\n")
    }

    /// Ends the bar. Gives the seconds that it took.
    func finish() -> Double {
        if isTerminal { write("\r\u{1B}[K") }
        return (ContinuousClock.now - start).seconds
    }

    private func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }
}

/// What a progress bar says at one moment.
package struct ProgressLine {
    package var what: String
    package var done: Int
    package var total: Int
    package var seconds: Double

    package init(what: String, done: Int, total: Int, seconds: Double) {
        self.what = what
        self.done = done
        self.total = total
        self.seconds = seconds
    }

    private static let barWidth = 24

    /// `████████░░░░░░░░░░░░░░░░  1200/3500 commits  812/s  3 s left`
    package var bar: String {
        let filled = total > 0 ? min(Self.barWidth, Self.barWidth * done / total) : Self.barWidth
        return String(repeating: "█", count: filled)
            + String(repeating: "░", count: Self.barWidth - filled) + "  " + text
    }

    /// `1200/3500 commits  812/s  3 s left`
    package var text: String {
        guard seconds > 0, done > 0 else { return "\(done)/\(total) \(what)" }
        let rate = Double(done) / seconds
        let left = Double(max(0, total - done)) / rate
        return "\(done)/\(total) \(what)  \(Int(rate.rounded()))/s  \(Self.time(left)) left"
    }

    /// `8 s`, `3 min 05 s`, `2 h 10 min`
    package static func time(_ seconds: Double) -> String {
        let whole = Int(seconds.rounded(.up))
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        if whole < 60 { return "\(whole) s" }
        if whole < 3600 { return "\(whole / 60) min \(two(whole % 60)) s" }
        return "\(whole / 3600) h \(two(whole % 3600 / 60)) min"
    }
}

extension Duration {
    var seconds: Double { self / .seconds(1) }
}
