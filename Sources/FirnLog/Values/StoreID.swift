import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// The identity of a store: 128 bits that every segment of its log carries.
public struct StoreID: Hashable, Sendable {
    /// The first eight bytes in writing order, most significant first.
    public var high: UInt64
    public var low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A random identity, a UUID of version 4 (https://www.rfc-editor.org/rfc/rfc9562#section-5.4).
    public static func random(using generator: inout some RandomNumberGenerator) -> StoreID {
        var high: UInt64 = generator.next()
        var low: UInt64 = generator.next()
        high = high & ~0xF000 | 0x4000
        low = low & ~(3 << 62) | 2 << 62
        return StoreID(high: high, low: low)
    }

    public static func random() -> StoreID {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    /// Reads the notation of `uuidString`, in either case of letters; nil if it is something else.
    public init?(uuidString text: String) {
        var digits: [UInt64] = []
        for (index, character) in text.utf8.enumerated() {
            if [8, 13, 18, 23].contains(index) {
                guard character == UInt8(ascii: "-") else { return nil }
            } else {
                guard let digit = Character(UnicodeScalar(character)).hexDigitValue else { return nil }
                digits.append(UInt64(digit))
            }
        }
        guard text.utf8.count == 36 else { return nil }
        high = digits[..<16].reduce(0) { $0 << 4 | $1 }
        low = digits[16...].reduce(0) { $0 << 4 | $1 }
    }

    /// `01234567-89AB-4DEF-8123-456789ABCDEF`.
    public var uuidString: String {
        let digits = Array(Self.hexadecimal(high) + Self.hexadecimal(low))
        let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
        return parts.joined(separator: "-")
    }

    private static func hexadecimal(_ word: UInt64) -> String {
        let digits = String(word, radix: 16, uppercase: true)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

extension StoreID: CustomStringConvertible {
    public var description: String { uuidString }
}

/// The number of the process, asked of the system once.
public enum ProcessNumber {
    private static let forks = Atomic(0)
    private static let known = Atomic<UInt64>(0)

    private static let isWatchingForks: Bool = {
        pthread_atfork(nil, nil) { ProcessNumber.forks.add(1, ordering: .relaxed) }
        return true
    }()

    /// How often the process was forked off, and its parents before it, since one of them first asked.
    static var forkCount: Int {
        _ = isWatchingForks
        return forks.load(ordering: .relaxed)
    }

    public static var current: Int32 {
        // The fork's count above, the number below: a process that was forked off does not have its parent's.
        let forkCount = UInt64(truncatingIfNeeded: forkCount) &+ 1
        let kept = known.load(ordering: .relaxed)
        if kept >> 32 == forkCount & 0xFFFF_FFFF { return Int32(truncatingIfNeeded: kept) }
        let number = getpid()
        known.store(forkCount << 32 | UInt64(UInt32(bitPattern: number)), ordering: .relaxed)
        return number
    }
}
