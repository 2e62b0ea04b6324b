/// Which rows of a column are null: one bit a row, and nothing at all while there is no null.
public struct NullMask: Hashable, Sendable {
    /// Bit `i % 64` of word `i / 64` is row `i`. Words past the last null are not kept.
    public private(set) var words: [UInt64] = []

    public init() {}

    public init(words: [UInt64]) {
        self.words = words
        while self.words.last == 0 { self.words.removeLast() }
    }

    public var isEmpty: Bool { words.isEmpty }

    public func contains(_ index: Int) -> Bool {
        let word = index >> 6
        return word < words.count && words[word] & (1 << UInt64(index & 63)) != 0
    }

    public mutating func insert(_ index: Int) {
        let word = index >> 6
        while words.count <= word { words.append(0) }
        words[word] |= 1 << UInt64(index & 63)
    }
}
