/// Which rows of a column are null: one bit a row, and nothing at all while there is no null.
public struct NullMask: Hashable, Sendable {
    /// Nil while there is no null, so that a copy of the mask retains nothing.
    private var storage: [UInt64]?

    /// Bit `i % 64` of word `i / 64` is row `i`. There are no words past the last null.
    public var words: [UInt64] { storage ?? [] }

    public init() {}

    public init(words: [UInt64]) {
        guard let last = words.lastIndex(where: { $0 != 0 }) else { return }
        storage = last + 1 == words.count ? words : Array(words[...last])
    }

    public var isEmpty: Bool { storage == nil }

    public func contains(_ index: Int) -> Bool {
        guard let storage else { return false }
        let word = index >> 6
        return word < storage.count && storage[word] & (1 << UInt64(index & 63)) != 0
    }

    public mutating func insert(_ index: Int) {
        let word = index >> 6
        var words = storage.take() ?? []
        while words.count <= word { words.append(0) }
        words[word] |= 1 << UInt64(index & 63)
        storage = words
    }
}
