/// A set of slots: one bit a slot, the first 64 of them without an allocation.
package struct SlotSet: Hashable {
    private var low: UInt64 = 0
    private var high: [UInt64] = []

    package init() {}

    package var isEmpty: Bool { low == 0 && (high.isEmpty || high.allSatisfy { $0 == 0 }) }

    @inline(__always)
    package func contains(_ slot: Int) -> Bool {
        slot < 64 ? low & (1 &<< UInt64(slot)) != 0 : containsHigh(slot)
    }

    @inline(never)
    private func containsHigh(_ slot: Int) -> Bool {
        let word = slot / 64 - 1
        return word < high.count && high[word] & (1 << UInt64(slot % 64)) != 0
    }

    @inline(__always)
    package mutating func insert(_ slot: Int) {
        if slot < 64 { low |= 1 &<< UInt64(slot) } else { insertHigh(slot) }
    }

    @inline(never)
    private mutating func insertHigh(_ slot: Int) {
        let word = slot / 64 - 1
        while high.count <= word { high.append(0) }
        high[word] |= 1 << UInt64(slot % 64)
    }

    package mutating func remove(_ slot: Int) {
        if slot < 64 {
            low &= ~(1 << UInt64(slot))
            return
        }
        let word = slot / 64 - 1
        guard word < high.count else { return }
        high[word] &= ~(1 << UInt64(slot % 64))
        while high.last == 0 { high.removeLast() }
    }

    package mutating func formUnion(_ other: SlotSet) {
        low |= other.low
        while high.count < other.high.count { high.append(0) }
        for index in other.high.indices { high[index] |= other.high[index] }
    }

    /// Calls `body` with each slot, ascending.
    package func forEach(_ body: (Int) throws -> Void) rethrows {
        var word = low
        while word != 0 {
            try body(word.trailingZeroBitCount)
            word &= word - 1
        }
        for index in high.indices {
            word = high[index]
            while word != 0 {
                try body((index + 1) * 64 + word.trailingZeroBitCount)
                word &= word - 1
            }
        }
    }

    package var slots: [Int] {
        var result: [Int] = []
        forEach { result.append($0) }
        return result
    }
}
