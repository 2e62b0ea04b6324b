#if Server
import FirnInspection

/// Two long texts as one list of lines: those that stayed, went and came.
struct LineDifference {
    struct Line: Equatable {
        let kind: String
        let word: String
        let text: String
    }

    private static let sizeMin = 80
    /// Comparing takes time that grows with the product of both lengths.
    private static let lineMax = 1000
    /// Lines that are shown, and characters of each.
    private static let shownMax = 60
    private static let lengthMax = 300

    let lines: [Line]

    /// The approximate bytes on a page.
    var size: Int { lines.reduce(0) { $0 + PageText.size($1.text.unicodeScalars) + 60 } }

    /// Nil for texts that are short, or too long to be compared; they are shown one next to the other.
    init?(_ old: String, _ new: String) {
        guard max(old.utf8.count, new.utf8.count) >= Self.sizeMin, old.contains("\n") || new.contains("\n") else {
            return nil
        }
        let before = old.split(separator: "\n", omittingEmptySubsequences: false)
        let after = new.split(separator: "\n", omittingEmptySubsequences: false)
        guard max(before.count, after.count) <= Self.lineMax else { return nil }
        let all = ComparedLine.all(before, after)
        let dots = Line(kind: "muted", word: "", text: "…")
        var lines: [Line] = []
        var end = 0
        for hunk in ComparedLine.hunks(all) {
            if hunk.lowerBound > end { lines.append(dots) }
            lines += all[hunk].map(Line.init)
            end = hunk.upperBound
        }
        if lines.count > Self.shownMax {
            lines = lines.prefix(Self.shownMax) + [dots]
        } else if end < all.count {
            lines.append(dots)
        }
        self.lines = lines.map { line in
            Line(kind: line.kind, word: line.word, text: PageText.cut(line.text, Self.lengthMax))
        }
    }
}

extension LineDifference.Line {
    fileprivate init(_ line: ComparedLine) {
        switch line {
        case .same(let text): self.init(kind: "same", word: "", text: text)
        case .removed(let text): self.init(kind: "removed", word: "removed", text: text)
        case .added(let text): self.init(kind: "added", word: "added", text: text)
        }
    }
}
#endif
