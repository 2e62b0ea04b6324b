import FirnInspection

/// The difference of two texts as `diff -u` prints it.
struct UnifiedDifference {
    /// Without a line break at the end.
    let text: String

    init(path: String, _ old: String, _ new: String) {
        let lines = ComparedLine.all(Self.split(old), Self.split(new))
        var text = ["--- \(path)", "+++ \(path)"]
        for hunk in ComparedLine.hunks(lines) {
            let before = lines[..<hunk.lowerBound]
            let counts = (lines[hunk].count(where: \.isInOld), lines[hunk].count(where: \.isInNew))
            let starts = (before.count(where: \.isInOld), before.count(where: \.isInNew))
            text.append(
                "@@ -\(starts.0 + (counts.0 > 0 ? 1 : 0)),\(counts.0)"
                    + " +\(starts.1 + (counts.1 > 0 ? 1 : 0)),\(counts.1) @@")
            text += lines[hunk].map(\.marked)
        }
        self.text = text.joined(separator: "\n")
    }

    private static func split(_ text: String) -> [Substring] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }
}

extension ComparedLine {
    fileprivate var isInOld: Bool { if case .added = self { false } else { true } }
    fileprivate var isInNew: Bool { if case .removed = self { false } else { true } }

    fileprivate var marked: String {
        switch self {
        case .same(let line): " " + line
        case .removed(let line): "-" + line
        case .added(let line): "+" + line
        }
    }
}
