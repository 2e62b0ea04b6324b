/// A line of two texts that were compared: one that both have, or one of them.
package enum ComparedLine: Equatable, Sendable {
    case same(String)
    case removed(String)
    case added(String)

    /// The lines of both texts, removed ones before added ones. O(lines · differences)
    package static func all(_ old: [Substring], _ new: [Substring]) -> [ComparedLine] {
        var (removed, added): (Set<Int>, Set<Int>) = ([], [])
        for change in new.difference(from: old) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): added.insert(offset)
            }
        }
        var result: [ComparedLine] = []
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

    /// The ranges of lines that are shown: those that differ, with three on either side.
    package static func hunks(_ lines: [ComparedLine]) -> [Range<Int>] {
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

    private static let contextCount = 3

    private var isSame: Bool { if case .same = self { true } else { false } }
}
