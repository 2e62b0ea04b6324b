/// Slots by name, found by the bits of a short string.
///
/// Swift stores a string of up to 15 UTF-8 bytes inside its own two words, so equal words mean equal strings. Nearly
/// all names of properties are that short, and no byte of them is hashed. Other strings are found by hashing.
/// https://github.com/swiftlang/swift/blob/main/stdlib/public/core/StringObject.swift
struct SlotNames: Sendable {
    private struct Entry {
        var bits: (UInt64, UInt64) = (0, 0)
        /// Below 0 for a free entry.
        var slot: Int32 = -1
    }

    private let entries: [Entry]
    private let mask: Int
    private let others: [String: Int]

    /// Of equal names the first counts.
    init(_ names: [String]) {
        var count = 8
        while count < 2 * names.count { count *= 2 }
        var entries = [Entry](repeating: Entry(), count: count)
        for (slot, name) in names.enumerated().reversed() {
            let bits = Self.bits(name)
            guard Self.isShort(bits) else { continue }
            var index = Self.place(bits) & (count - 1)
            while entries[index].slot >= 0, entries[index].bits != bits { index = (index + 1) & (count - 1) }
            entries[index] = Entry(bits: bits, slot: Int32(slot))
        }
        self.entries = entries
        mask = count - 1
        others = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
    }

    /// O(1).
    func slot(_ name: String) -> Int? {
        let bits = Self.bits(name)
        // A long string's words are a count and an address, which another string may have reused.
        guard Self.isShort(bits) else { return others[name] }
        var index = Self.place(bits) & mask
        while entries[index].slot >= 0 {
            if entries[index].bits == bits { return Int(entries[index].slot) }
            index = (index + 1) & mask
        }
        return others[name]
    }

    /// Safe: a `String` is two words without padding on 64-bit systems, and any words are valid as integers. Only words
    /// that have the tag of a short string are compared, and those hold no address.
    private static func bits(_ name: String) -> (UInt64, UInt64) {
        unsafeBitCast(name, to: (UInt64, UInt64).self)
    }

    private static func isShort(_ bits: (UInt64, UInt64)) -> Bool { bits.1 >> 61 & 1 == 1 }

    private static func place(_ bits: (UInt64, UInt64)) -> Int {
        let mixed = (bits.0 ^ bits.1 &* 0xBF58_476D_1CE4_E5B9) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: mixed >> 32)
    }
}
