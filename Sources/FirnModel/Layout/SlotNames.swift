import FirnRuntime

/// Slots by name, found by the bits of a short string.
///
/// Nearly all names of properties are short, and no byte of them is hashed. Other strings are found by hashing.
struct SlotNames: Sendable {
    private struct Entry {
        var text = ShortText.none
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
            guard let text = ShortText(name) else { continue }
            var index = Self.place(text) & (count - 1)
            while entries[index].slot >= 0, entries[index].text != text { index = (index + 1) & (count - 1) }
            entries[index] = Entry(text: text, slot: Int32(slot))
        }
        self.entries = entries
        mask = count - 1
        others = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
    }

    /// O(1).
    func slot(_ name: String) -> Int? {
        guard let text = ShortText(name) else { return others[name] }
        var index = Self.place(text) & mask
        while entries[index].slot >= 0 {
            if entries[index].text == text { return Int(entries[index].slot) }
            index = (index + 1) & mask
        }
        return others[name]
    }

    private static func place(_ text: ShortText) -> Int {
        let mixed = (text.first ^ text.second &* 0xBF58_476D_1CE4_E5B9) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: mixed >> 32)
    }
}
