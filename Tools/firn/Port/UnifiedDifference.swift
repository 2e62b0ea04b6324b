/// The difference of two texts as `diff -u` prints it.
struct UnifiedDifference {
    private static let contextCount = 3

    private enum Line {
        case same(String)
        case removed(String)
        case added(String)

        var text: String {
            switch self {
            case .same(let line): " " + line
            case .removed(let line): "-" + line
            case .added(let line): "+" + line
            }
        }
        var isSame: Bool { if case .same = self { true } else { false } }
        var isInOld: Bool { if case .added = self { false } else { true } }
        var isInNew: Bool { if case .removed = self { false } else { true } }
    }

    /// Without a line break at the end.
    let text: String

    init(path: String, _ old: String, _ new: String) {
        let lines = Self.lines(Self.split(old), Self.split(new))
        var text = ["--- \(path)", "+++ \(path)"]
        for hunk in Self.hunks(lines) {
            let before = lines[..<hunk.lowerBound]
            let counts = (lines[hunk].count(where: \.isInOld), lines[hunk].count(where: \.isInNew))
            let starts = (before.count(where: \.isInOld), before.count(where: \.isInNew))
            text.append(
                "@@ -\(starts.0 + (counts.0 > 0 ? 1 : 0)),\(counts.0)"
                    + " +\(starts.1 + (counts.1 > 0 ? 1 : 0)),\(counts.1) @@")
            text += lines[hunk].map(\.text)
        }
        self.text = text.joined(separator: "\n")
    }

    private static func split(_ text: String) -> [Substring] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    /// The lines of both texts, removed ones before added ones. O((lines) · (differences))
    private static func lines(_ old: [Substring], _ new: [Substring]) -> [Line] {
        let difference = new.difference(from: old)
        var (removed, added): (Set<Int>, Set<Int>) = ([], [])
        for change in difference {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): added.insert(offset)
            }
        }
        var result: [Line] = []
        var (left, right) = (0, 0)
        while left < old.count || right < new.count {
            if removed.contains(left) {
                result.append(.removed(String(old[left])))
                left += 1
            } else if added.contains(right) {
                result.append(.added(String(new[right])))
                right += 1
            } else {
                result.append(.same(String(old[left])))
                (left, right) = (left + 1, right + 1)
            }
        }
        return result
    }

    private static func hunks(_ lines: [Line]) -> [Range<Int>] {
        var hunks: [Range<Int>] = []
        for index in lines.indices where !lines[index].isSame {
            let range = max(0, index - contextCount)..<min(lines.count, index + contextCount + 1)
            if let last = hunks.last, range.lowerBound <= last.upperBound {
                hunks[hunks.count - 1] = last.lowerBound..<range.upperBound
            } else {
                hunks.append(range)
            }
        }
        return hunks
    }
}
