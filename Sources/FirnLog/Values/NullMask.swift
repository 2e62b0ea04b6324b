/// Which rows of a column are null: one bit a row, and nothing at all while there is no null.
public struct NullMask: Hashable, Sendable {
    /// Nil while there is no null: then a copy counts no reference.
    private var kept: [UInt64]?

    /// Bit `i % 64` of word `i / 64` is row `i`. Words past the last null are not kept.
    public var words: [UInt64] { kept ?? [] }

    public init() {}

    public init(words: [UInt64]) {
        guard let last = words.lastIndex(where: { $0 != 0 }) else { return }
        kept = last + 1 == words.count ? words : Array(words[...last])
    }

    public var isEmpty: Bool { kept == nil }

    public func contains(_ index: Int) -> Bool {
        guard let kept else { return false }
        let word = index >> 6
        return word < kept.count && kept[word] & (1 << UInt64(index & 63)) != 0
    }

    public mutating func insert(_ index: Int) {
        let word = index >> 6
        var words = kept.take() ?? []
        while words.count <= word { words.append(0) }
        words[word] |= 1 << UInt64(index & 63)
        kept = words
    }
}
