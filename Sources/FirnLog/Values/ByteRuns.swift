/// Byte strings laid end to end in one buffer:
///
///     bytes  │ a b c │ d e │   │ f g h i │
///     ends          3     5   5         9
public struct ByteRuns: Hashable, Sendable {
    /// `ends[i]` is the offset just past run `i`; run `i` starts where run `i - 1` ends.
    public private(set) var ends: [Int] = []
    public private(set) var bytes: [UInt8] = []

    public init() {}

    /// Runs that a reader has gathered. `ends` must ascend and end at `bytes.count`.
    public init(ends: [Int], bytes: [UInt8]) {
        guard (ends.last ?? 0) == bytes.count else {
            fatalError("the last run must end where the bytes end")
        }
        self.ends = ends
        self.bytes = bytes
    }

    public var count: Int { ends.count }

    public mutating func reserve(count: Int, byteCount: Int) {
        ends.reserveCapacity(count)
        bytes.reserveCapacity(byteCount)
    }

    public func range(at index: Int) -> Range<Int> {
        (index == 0 ? 0 : ends[index - 1])..<ends[index]
    }

    public mutating func append(_ run: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: run)
        ends.append(bytes.count)
    }

    public mutating func append(_ run: some Sequence<UInt8>) {
        bytes.append(contentsOf: run)
        ends.append(bytes.count)
    }

    public mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    public func blob(at index: Int) -> [UInt8] { Array(bytes[range(at: index)]) }

    public func text(at index: Int) -> String {
        String(decoding: bytes[range(at: index)], as: UTF8.self)
    }

    /// Calls `body` with the bytes of one run, without a copy. The pointer is valid during the call.
    public func withBytes<R>(at index: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        let range = range(at: index)
        return try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    /// Whether there are runs, and all are the same.
    var isConstant: Bool {
        guard let length = ends.first, bytes.count == length * count else { return false }
        for (index, end) in ends.enumerated() where end != length * (index + 1) { return false }
        return bytes.withUnsafeBytes { all in
            compareBytes(
                UnsafeRawBufferPointer(rebasing: all.dropLast(length)),
                UnsafeRawBufferPointer(rebasing: all.dropFirst(length)))
        }
    }
}

/// The rows of a column that are null: one bit a row, and nothing at all while there is no null.
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
