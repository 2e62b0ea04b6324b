#if Server
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
    /// Lines that stayed are shown up to this distance from one that changed.
    private static let context = 3

    let lines: [Line]

    /// Nil for texts that are short, or too long to be compared; they are shown one next to the other.
    init?(_ old: String, _ new: String) {
        guard max(old.utf8.count, new.utf8.count) >= Self.sizeMin, old.contains("\n") || new.contains("\n") else {
            return nil
        }
        let before = old.split(separator: "\n", omittingEmptySubsequences: false)
        let after = new.split(separator: "\n", omittingEmptySubsequences: false)
        guard max(before.count, after.count) <= Self.lineMax else { return nil }
        let difference = after.difference(from: before)
        var removed = Set<Int>()
        var inserted = Set<Int>()
        for change in difference {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        var all: [Line] = []
        var (left, right) = (0, 0)
        while left < before.count || right < after.count {
            if removed.contains(left) {
                all.append(Line(kind: "removed", word: "removed", text: String(before[left])))
                left += 1
            } else if inserted.contains(right) {
                all.append(Line(kind: "added", word: "added", text: String(after[right])))
                right += 1
            } else {
                all.append(Line(kind: "same", word: "", text: String(after[right])))
                (left, right) = (left + 1, right + 1)
            }
        }
        lines = Self.shortened(all)
    }

    private static func shortened(_ all: [Line]) -> [Line] {
        let changed = all.indices.filter { all[$0].kind != "same" }
        var isShown = [Bool](repeating: false, count: all.count)
        for index in changed {
            for near in max(0, index - context)...min(all.count - 1, index + context) { isShown[near] = true }
        }
        var lines: [Line] = []
        for index in all.indices {
            if isShown[index] {
                lines.append(all[index])
            } else if index == 0 || isShown[index - 1] {
                lines.append(Line(kind: "muted", word: "", text: "…"))
            }
        }
        return lines
    }
}
#endif
