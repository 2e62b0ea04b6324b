import Foundation

/// The string operators on bytes, for strings that `PlainScalars` finds plain. That is ASCII under all options, Chinese
/// under nearly all, and most other letters while case and marks count. Each returns nil for other strings.
enum PlainText {
    typealias Bytes = UnsafeBufferPointer<UInt8>

    /// Whether the strings hold the same code units. Right for every string: equal UTF-8 is equal UTF-16.
    static func unitsAreEqual(_ a: String, _ b: String) -> Bool {
        let answer = a.utf8.withContiguousStorageIfAvailable { left in
            b.utf8.withContiguousStorageIfAvailable { right -> Bool in
                guard left.count == right.count, !left.isEmpty else {
                    return left.count == right.count
                }
                guard let x = left.baseAddress, let y = right.baseAddress else { return false }
                return memcmp(x, y, left.count) == 0
            }
        }
        return (answer ?? nil) ?? a.utf8.elementsEqual(b.utf8)
    }

    /// The order of the code units as UTF-8, which is the order of code points. Right for every string.
    static func orderOfUnits(_ a: String, _ b: String) -> ComparisonResult {
        let answer = a.utf8.withContiguousStorageIfAvailable { left in
            b.utf8.withContiguousStorageIfAvailable { right -> ComparisonResult in
                let count = min(left.count, right.count)
                if count > 0, let x = left.baseAddress, let y = right.baseAddress {
                    let difference = memcmp(x, y, count)
                    if difference != 0 {
                        return difference < 0 ? .orderedAscending : .orderedDescending
                    }
                }
                return order(left.count, right.count)
            }
        }
        if let answer, let answer { return answer }
        if a.utf8.elementsEqual(b.utf8) { return .orderedSame }
        return a.utf8.lexicographicallyPrecedes(b.utf8) ? .orderedAscending : .orderedDescending
    }

    /// The order without regard to case.
    static func compareFolded(_ a: String, _ b: String, _ options: ComparisonOptions)
        -> ComparisonResult?
    {
        withBytes(a, b, options) { left, right in
            let count = min(left.count, right.count)
            for index in 0..<count {
                let x = lowercased(left[index])
                let y = lowercased(right[index])
                if x != y { return x < y ? .orderedAscending : .orderedDescending }
            }
            return order(left.count, right.count)
        }
    }

    static func hasPrefix(_ text: String, _ part: String, _ options: ComparisonOptions) -> Bool? {
        withBytes(text, part, options) { text, part in
            text.count >= part.count
                && holds(part, in: text, at: 0, options.contains(.caseInsensitive))
        }
    }

    static func hasSuffix(_ text: String, _ part: String, _ options: ComparisonOptions) -> Bool? {
        withBytes(text, part, options) { text, part in
            text.count >= part.count
                && holds(
                    part, in: text, at: text.count - part.count,
                    options.contains(.caseInsensitive))
        }
    }

    static func contains(_ text: String, _ part: String, _ options: ComparisonOptions) -> Bool? {
        withBytes(text, part, options) { text, part in
            if part.isEmpty { return true }
            if part.count > text.count { return false }
            if options.contains(.caseInsensitive) { return foldedContains(text, part) }
            return exactContains(text, part)
        }
    }

    private static func foldedContains(_ text: Bytes, _ part: Bytes) -> Bool {
        let first = lowercased(part[0])
        for start in 0...(text.count - part.count)
        where lowercased(text[start]) == first && holds(part, in: text, at: start, true) {
            return true
        }
        return false
    }

    private static func exactContains(_ text: Bytes, _ part: Bytes) -> Bool {
        guard let base = text.baseAddress, let needle = part.baseAddress else { return false }
        var start = 0
        let end = text.count - part.count
        while start <= end,
            let hit = memchr(base + start, Int32(part[0]), end - start + 1)
        {
            // memchr returns an address within `text`.
            let place = base.distance(to: UnsafePointer(hit.assumingMemoryBound(to: UInt8.self)))
            if memcmp(base + place, needle, part.count) == 0 { return true }
            start = place + 1
        }
        return false
    }

    static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    /// Whether `text` has `part` at `start`. `text` must be long enough.
    static func holds(_ part: Bytes, in text: Bytes, at start: Int, _ folds: Bool) -> Bool {
        for index in 0..<part.count {
            let x = text[start + index]
            let y = part[index]
            if x != y && !(folds && lowercased(x) == lowercased(y)) { return false }
        }
        return true
    }

    /// Calls `body` with the bytes of both strings if they are plain under the options.
    static func withBytes<Answer>(
        _ a: String, _ b: String, _ options: ComparisonOptions, _ body: (Bytes, Bytes) -> Answer
    ) -> Answer? {
        // A locale has its own letter case: the Turkish I is not the capital of i.
        if options.contains(.localized) { return nil }
        let answer = a.utf8.withContiguousStorageIfAvailable { left -> Answer? in
            guard PlainScalars.fill(left, options) else { return nil }
            let inner = b.utf8.withContiguousStorageIfAvailable { right -> Answer? in
                PlainScalars.fill(right, options) ? body(left, right) : nil
            }
            return inner ?? nil
        }
        return answer ?? nil
    }
}
